import './people.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Member } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { MemberDetails } from './member.tsx'
import { ROLES } from './roles.ts'
import { PeopleTabs } from './tabs.tsx'

export function Members() {
  const { data } = useQuery(me)
  useCode('listMembers', 'GET', '/v1/iam/members', {})
  return (
    <List
      title="Members"
      about="Your team. Everyone signs in with an own account, and the role says what they may do."
      noun={['member', 'members']}
      query={pages(['members'], (after, options) => stoa.listMembers(after, options))}
      idOf={({ user }) => user}
      columns={columnsFor(data?.user)}
      top={<PeopleTabs />}
      actions={data && manages(data) && <InviteLink org={data.org} />}
      details={(member, steps) => <MemberDetails of={member} {...steps} />}
      empty={{ icon: 'users', title: 'No member', says: 'Invite people by their address.' }}
    />
  )
}

const InviteLink = ({ org }: { org: string }) => (
  <Link
    to="/o/$org/$"
    params={{ org, _splat: 'members/invitations' }}
    search={{ open: 'new' } as never}
    className="btn"
    data-kind="primary"
  >
    <Icon name="plus" />
    Invite member
  </Link>
)

const columnsFor = (own: string | undefined): Column<Member>[] => [
  {
    head: 'Address',
    className: 'p1',
    cell: ({ email, user }) => (
      <>
        {email}
        {user === own && <span className="badge own">You</span>}
      </>
    ),
  },
  { head: 'Role', className: 'p3', cell: ({ role }) => ROLES[role] },
  { head: 'Joined', className: 'r p2', cell: ({ created }) => <Time at={created} /> },
]
