import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Me, signInUrl, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { left } from '../../frame/sign-out.ts'
import { Confirm } from '../../parts/confirm.tsx'

/** An organisation is left in a session of it. */
export function Organisations({ me, mayLeave }: { me: Me; mayLeave: boolean }) {
  return (
    <section className="section">
      <h2>Organisations</h2>
      <ul className="rows">
        {me.orgs.map(one => (
          <li key={one.org}>
            <span className="grow">
              <b>
                {one.name}
                {one.org === me.org && <span className="badge">Signed in</span>}
              </b>
              <span className="muted">
                {one.org} · {one.role}
              </span>
            </span>
            <span className="end">
              {one.org === me.org ? (
                <Present me={me} mayLeave={mayLeave} name={one.name} />
              ) : (
                <a
                  className="btn s"
                  href={signInUrl({ pathname: '/me', search: '' }, one.org)}
                  aria-label={`Switch to ${one.name}`}
                >
                  Switch
                </a>
              )}
            </span>
          </li>
        ))}
      </ul>
      {me.orgs.length > 1 && <p className="muted">To leave another organisation, switch to it first.</p>}
    </section>
  )
}

function Present({ me, name, mayLeave }: { me: Me; name: string; mayLeave: boolean }) {
  const [asks, setAsks] = useState(false)
  const leave = useChange({ run: () => stoa.removeMember({ user: me.user }), changes: [], onDone: () => left() })
  const isOnly = me.orgs.length === 1
  return (
    <>
      <Link className="btn s" to="/o/$org/$" params={{ org: me.org, _splat: 'home' }} aria-label={`Open ${name}`}>
        Open
      </Link>
      {mayLeave && (
        <button
          type="button"
          className="btn s"
          data-kind="danger-quiet"
          aria-label={`Leave ${name}`}
          onClick={() => setAsks(true)}
        >
          Leave…
        </button>
      )}
      {asks && (
        <Confirm
          title={`Leave ${name}?`}
          action="Leave organisation"
          type={me.org}
          onNo={() => setAsks(false)}
          onYes={leave.mutate}
        >
          <p>
            Your keys and sign-ins in {name} end now, and requests with these keys fail. Your account stays.{' '}
            {isOnly
              ? 'You belong to no other organisation: you can sign in again after someone has invited you.'
              : 'You sign in again to one of your other organisations.'}
          </p>
          {me.role === 'owner' && <p>The last owner cannot leave. Make another member an owner first.</p>}
        </Confirm>
      )}
    </>
  )
}
