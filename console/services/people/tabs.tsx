import { useQuery } from '@tanstack/react-query'
import { manages, me } from '../../api.ts'
import { Tabs } from '../../parts/tabs.tsx'

/** Only owners and admins see invitations. */
export function PeopleTabs() {
  const { data } = useQuery(me)
  const isManager = data !== undefined && manages(data)
  return (
    <Tabs
      label="Members"
      of={[
        ['members', 'Team'],
        ...(isManager ? [['members/invitations', 'Invitations'] as const] : []),
        ['members/workspaces', 'Workspaces'],
      ]}
    />
  )
}
