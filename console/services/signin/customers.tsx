import './signin.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CreateUserInput, User } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { FindParam } from '../../parts/find-param.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { CUSTOMER_FIELDS, CustomerDetails } from './customer.tsx'
import { SignInTabs } from './tabs.tsx'

const STATES = [
  ['', 'All'],
  ['false', 'Active'],
  ['true', 'Blocked'],
] as const

export function Customers() {
  const { data } = useQuery(me)
  const [search, setSearch] = useParam('search')
  const [blocked, setBlocked] = useParam('blocked')
  const filter = { ...(search && { search }), ...(blocked && { blocked: blocked === 'true' }) }
  useCode('listUsers', 'GET', '/v1/iam/users', filter)
  return (
    <List
      title="Customers"
      about="Accounts of the people who use your apps. They reach only their own account here."
      noun={['customer', 'customers']}
      query={{
        ...pages(['customers', search, blocked], (after, options) => stoa.listUsers({ ...filter, ...after }, options)),
        placeholderData: keepPreviousData,
      }}
      idOf={({ user }) => user}
      isOff={one => one.blocked}
      columns={COLUMNS}
      top={<SignInTabs />}
      filters={
        <>
          <FindParam label="Find by address or name" name="search" />
          <Segments
            label="Status"
            options={STATES}
            chosen={blocked as (typeof STATES)[number][0]}
            onChoose={one => setBlocked(one)}
          />
        </>
      }
      isFiltered={search !== '' || blocked !== ''}
      onClear={() => {
        setSearch('')
        setBlocked('')
      }}
      {...(data && manages(data) && { create: 'Create customer', creation: onClose => <Create onClose={onClose} /> })}
      actions={data && manages(data) && <ImportLink org={data.org} />}
      details={(customer, steps) => <CustomerDetails of={customer} {...steps} />}
      empty={{
        icon: 'users',
        title: 'No customer yet',
        says: 'Customers register at your apps, if these allow it. You can also create or import accounts.',
      }}
    />
  )
}

const ImportLink = ({ org }: { org: string }) => (
  <Link to="/o/$org/$" params={{ org, _splat: 'signin/import' }} className="btn">
    Import
  </Link>
)

const COLUMNS: Column<User>[] = [
  { head: 'Address', className: 'p1', cell: ({ email }) => email },
  { head: 'Name', className: 'p3', cell: ({ name }) => name || <span className="zero">—</span> },
  { head: 'Status', className: 'p4', cell: one => <CustomerStatus of={one} /> },
  { head: 'Created', className: 'r low', cell: ({ created }) => <Time at={created} /> },
  { head: 'Last sign-in', className: 'r p2', cell: ({ signedIn }) => <Time at={signedIn} none="never" /> },
]

export const CustomerStatus = ({ of: { blocked, emailVerified } }: { of: User }) =>
  blocked ? (
    <Status tone="off">Blocked</Status>
  ) : emailVerified ? (
    <Status tone="success">Active</Status>
  ) : (
    <Status tone="warn">Not verified</Status>
  )

function Create({ onClose }: { onClose: () => void }) {
  const [, setOpen] = useParam('open')
  const create = useChange({
    run: (input: CreateUserInput) => stoa.createUser(input),
    changes: [['customers']],
    done: ({ email }) => `Customer ${email} created`,
    onDone: ({ user }) => setOpen(user, true),
    showsErrors: true,
  })
  return (
    <FormDrawer
      title="Create a customer"
      action="Create customer"
      operation="createUser"
      fields={CUSTOMER_FIELDS}
      change={create}
      onClose={onClose}
    >
      <p className="muted">No mail is sent. The person signs in with a mailed code, and can then choose a password.</p>
    </FormDrawer>
  )
}
