import { Tabs } from '../../parts/tabs.tsx'

export const WITHIN = [{ label: 'Your account', path: '/me' }]

export const AccountTabs = () => (
  <Tabs
    label="Your account"
    of={[
      ['/me', 'Profile'],
      ['/me/sessions', 'Sign-ins'],
    ]}
  />
)
