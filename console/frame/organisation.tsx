// A session belongs to one organisation. Another one is signed in to, which asks nothing while the browser is signed in.
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { type Me, signInUrl } from '../api.ts'
import { Icon } from '../parts/icon.tsx'
import { useChange } from './change.ts'
import { signOut } from './sign-out.ts'

const Mark = () => (
  <span className="mark">
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M1.5 3.5 8 1l6.5 2.5V5h-13zM2.5 6.25h2v6h-2zM7 6.25h2v6H7zM11.5 6.25h2v6h-2zM1.5 13.25h13V15h-13z" />
    </svg>
  </span>
)

const nameOf = (me: Me, org: string) => me.orgs.find(one => one.org === org)?.name ?? org
/** Its members are the superadmins. */
const ADMIN_ORG = 'admin'
const homeOf = (org: string) => signInUrl({ pathname: `/o/${org}/home`, search: '' })

export function OrganisationMenu({ me }: { me: Me }) {
  const id = useId()
  return (
    <>
      <button type="button" className="org" popoverTarget={id} aria-label={`Organisation ${nameOf(me, me.org)}`}>
        <Mark />
        <span className="cut">{nameOf(me, me.org)}</span>
        <Icon name="updown" small />
      </button>
      <div className="menu org-menu" id={id} popover="auto">
        {me.orgs.map(({ org, name, role }) => (
          <a key={org} href={org === me.org ? `/o/${org}/home` : homeOf(org)} data-active={org === me.org || undefined}>
            <span className="cut">{name}</span>
            <span className="muted r">{role}</span>
          </a>
        ))}
        <hr />
        <Link to="/me" onClick={() => document.getElementById(id)?.hidePopover()}>
          <Icon name="user" />
          Your account
        </Link>
        <SignOut />
      </div>
    </>
  )
}

function SignOut() {
  const leave = useChange({ run: () => signOut(), changes: [] })
  return (
    <button type="button" onClick={() => leave.mutate()}>
      <Icon name="signin" />
      Sign out
    </button>
  )
}

/** The address names an organisation that the session is not for. */
export function OtherOrganisation({ me, org }: { me: Me; org: string }) {
  const isMember = me.orgs.some(one => one.org === org)
  return (
    <div className="body">
      <div className="empty">
        <h1>{isMember ? `This is in ${nameOf(me, org)}` : `You are not a member of ${org}`}</h1>
        <p>
          {isMember
            ? `You are signed in to ${nameOf(me, me.org)}. Sign in to ${nameOf(me, org)} to see this screen.`
            : `You are signed in as ${me.email}. Ask an owner of ${org} to invite this address.`}
        </p>
        <a className="btn" data-kind="primary" href={isMember ? signInUrl(location) : `/o/${me.org}/home`}>
          {isMember ? `Sign in to ${nameOf(me, org)}` : `Go to ${nameOf(me, me.org)}`}
        </a>
      </div>
    </div>
  )
}

export function OnlySuperadmins({ me }: { me: Me }) {
  const isMember = me.orgs.some(({ org }) => org === ADMIN_ORG)
  return (
    <div className="body">
      <div className="empty">
        <h1>Only superadmins see this</h1>
        <p>
          {isMember
            ? `You are signed in to ${nameOf(me, me.org)}. Sign in to ${nameOf(me, ADMIN_ORG)} to see this screen.`
            : 'Superadmins are the members of the organisation admin. They run this host.'}
        </p>
        <a className="btn" data-kind="primary" href={isMember ? signInUrl(location, ADMIN_ORG) : `/o/${me.org}/home`}>
          {isMember ? `Sign in to ${nameOf(me, ADMIN_ORG)}` : `Go to ${nameOf(me, me.org)}`}
        </a>
      </div>
    </div>
  )
}
