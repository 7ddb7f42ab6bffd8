import { useQuery } from '@tanstack/react-query'
import { manages, me } from '../../api.ts'
import { Tabs } from '../../parts/tabs.tsx'

const TABS = [
  ['signin', 'Apps'],
  ['signin/sessions', 'Sign-ins'],
  ['signin/customers', 'Customers'],
  ['signin/branding', 'Branding'],
] as const

/** Members see only their own sign-ins. */
export function SignInTabs() {
  const { data } = useQuery(me)
  return data && manages(data) && <Tabs label="Sign-in" of={TABS} />
}
