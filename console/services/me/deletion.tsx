import { useState } from 'react'
import { ConflictError } from '../../../client/stoa.js'
import { type Me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { left, signOut } from '../../frame/sign-out.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'

/** The host asks for a sign-in of the last 15 minutes. */
export function Deletion({ me }: { me: Me }) {
  const [asks, setAsks] = useState(false)
  const remove = useChange({ run: () => stoa.deleteMe(), changes: [], onDone: () => left(), showsErrors: true })
  const again = useChange({ run: () => signOut('/me'), changes: [] })
  const isTooLate = remove.error instanceof ConflictError && remove.error.message.startsWith('Sign in again')
  return (
    <section className="section">
      <h2>Delete account</h2>
      <ul className="rows">
        <li>
          <span className="grow">
            <span className="muted">
              You leave all organisations, and your keys end. It needs a sign-in of the last 15 minutes.
            </span>
          </span>
          <span className="end">
            <button
              type="button"
              className="btn s"
              data-kind="danger-quiet"
              aria-busy={remove.isPending}
              onClick={() => setAsks(true)}
            >
              <Icon name="trash" />
              Delete account…
            </button>
          </span>
        </li>
      </ul>
      {remove.error && <Problem error={remove.error} />}
      {isTooLate && (
        <button type="button" className="btn again" aria-busy={again.isPending} onClick={() => again.mutate()}>
          Sign out and sign in again
        </button>
      )}
      {asks && (
        <Confirm
          title="Delete your account?"
          action="Delete account"
          type={me.email}
          onNo={() => setAsks(false)}
          onYes={remove.mutate}
        >
          <p>
            You leave {me.orgs.length === 1 ? 'your organisation' : `all ${me.orgs.length} organisations`}. All your API
            keys and sign-ins end now, and requests with these keys fail. What you created there stays. This cannot be
            undone.
          </p>
          {me.orgs.some(({ role }) => role === 'owner') && (
            <p>The last owner of an organisation makes another member an owner first.</p>
          )}
        </Confirm>
      )}
    </section>
  )
}
