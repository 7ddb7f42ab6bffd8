import './me.css'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Me, me } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { signOut } from '../../frame/sign-out.ts'
import { Id } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Status } from '../../parts/status.tsx'
import { Deletion } from './deletion.tsx'
import { AddressForm, NameForm, PasswordForm } from './forms.tsx'
import { Invitations } from './invitations.tsx'
import { Organisations } from './organisations.tsx'
import { isPlanted, myInvitations } from './queries.ts'
import { AccountTabs } from './tabs.tsx'

export function Profile() {
  const { data } = useQuery(me)
  useCode('getMe', 'GET', '/v1/iam/me', {})
  return data ? <Account of={data} /> : null
}

const FORMS = new Map(Object.entries({ name: NameForm, address: AddressForm, password: PasswordForm }))

function Account({ of }: { of: Me }) {
  const [open, setOpen] = useParam('open')
  const { error } = useInfiniteQuery(myInvitations)
  const planted = isPlanted(error)
  const leave = useChange({ run: () => signOut(), changes: [] })
  const Opened = open === 'password' || !planted ? FORMS.get(open) : undefined
  return (
    <Sheet title="Your account" drawer={Opened && <Opened me={of} onClose={() => setOpen('')} />}>
      <header className="head">
        <div className="grow">
          <h1>{of.name || of.email}</h1>
          <p>You have one account for all organisations that you belong to.</p>
        </div>
        <div className="actions">
          <button type="button" className="btn" aria-busy={leave.isPending} onClick={() => leave.mutate()}>
            <Icon name="signin" />
            Sign out
          </button>
        </div>
      </header>
      <AccountTabs />
      <div className="me">
        {planted && <Planted />}
        <Invitations />
        <section className="section">
          <h2>Profile</h2>
          <ul className="rows">
            <Row name="Name" says="Apps that you sign in to see it." onChange={planted ? null : () => setOpen('name')}>
              {of.name || <span className="muted">None</span>}
            </Row>
            <Row name="Address" says="You sign in with it." onChange={planted ? null : () => setOpen('address')}>
              {of.email}
              {of.emailVerified ? <Status tone="success">Confirmed</Status> : <Status tone="off">Not confirmed</Status>}
            </Row>
            <Row
              name="Password"
              says="A change ends your other sign-ins. Keys stay."
              onChange={() => setOpen('password')}
            >
              <span className="muted">Not shown</span>
            </Row>
            <Row name="Id" says="In the audit trail and in tokens.">
              <Id text={of.user} show />
            </Row>
          </ul>
        </section>
        <Organisations me={of} mayLeave={!planted} />
        {!planted && <Deletion me={of} />}
      </div>
    </Sheet>
  )
}

type RowProps = { name: string; says: string; children: ReactNode; onChange?: (() => void) | null }

const Row = ({ name, says, children, onChange }: RowProps) => (
  <li>
    <span className="grow">
      <b>{name}</b>
      <span className="muted">{says}</span>
    </span>
    <span className="value">{children}</span>
    <span className="end">
      {onChange && (
        <button type="button" className="btn s" aria-label={`Change ${name.toLowerCase()}`} onClick={onChange}>
          Change
        </button>
      )}
    </span>
  </li>
)

const Planted = () => (
  <div className="section">
    <div className="callout" data-tone="warn">
      <Icon name="alert" />
      <div>
        <b>An admin chose your password.</b> Choose one of your own to change your account and to see invitations: sign
        out, then follow “Forgot your password?” on the sign-in page.
      </div>
    </div>
  </div>
)
