import './host.css'
import type { Organisation } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { FindParam } from '../../parts/find-param.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { OrgDetails } from './org.tsx'
import { CreateOrg } from './org-create.tsx'
import { REFRESH_MS } from './queries.tsx'

export function Orgs() {
  const [typed, setTyped] = useParam('find')
  // Slugs have nothing else; the host refuses it.
  const search = typed.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-')
  const filter = search ? { search } : {}
  useCode('listOrgs', 'GET', '/v1/iam/orgs', filter)
  return (
    <List
      title="Organisations"
      about="The tenants of this host. What they have is seen by their members only."
      noun={['organisation', 'organisations']}
      first="First"
      query={{
        ...pages(['orgs', search], (after, options) => stoa.listOrgs({ ...filter, ...after }, options)),
        placeholderData: before => before,
        refetchInterval: ({ state }) =>
          state.data?.pages.some(({ data }) => data.some(isDeleted)) ? REFRESH_MS : false,
      }}
      idOf={({ slug }) => slug}
      isOff={isDeleted}
      columns={COLUMNS}
      filters={<FindParam label="Find by slug" placeholder="Slug begins with" maxLength={40} />}
      isFiltered={search !== ''}
      onClear={() => setTyped('')}
      create="Create organisation"
      creation={onClose => <CreateOrg onClose={onClose} />}
      details={({ slug }, steps) => <OrgDetails key={slug} slug={slug} {...steps} />}
      unlisted={(slug, steps) => <OrgDetails key={slug} slug={slug} {...steps} />}
      empty={{ icon: 'globe', title: 'No organisation', says: 'Create one with the address of its owner.' }}
    />
  )
}

const isDeleted = ({ deleted }: Organisation) => deleted !== undefined

const COLUMNS: Column<Organisation>[] = [
  { head: 'Name', className: 'p1 fill', cell: ({ name }) => name },
  { head: 'Slug', className: 'p3', cell: ({ slug }) => <span className="id">{slug}</span> },
  { head: 'Status', className: 'p4', cell: one => <OrgStatus of={one} /> },
  { head: 'Created', className: 'r p2', cell: ({ created }) => <Time at={created} /> },
]

export const OrgStatus = ({ of }: { of: Organisation }) =>
  isDeleted(of) ? <Status tone="busy">Being deleted</Status> : <Status tone="success">Active</Status>
