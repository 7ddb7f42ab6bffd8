import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Invitation } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Time } from '../../parts/time.tsx'
import { isPlanted, myInvitations } from './queries.ts'

/** Nothing, while there is none. */
export function Invitations() {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(myInvitations)
  const invitations = data?.pages.flatMap(page => page.data) ?? []
  if (isPlanted(error) || (!error && invitations.length === 0)) return null
  return (
    <section className="section">
      <h2>Invitations to you</h2>
      {error && <Problem error={error} />}
      <ul className="rows">
        {invitations.map(one => (
          <Invite key={one.id} of={one} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="btn s" aria-busy={isFetching} onClick={() => void fetchNextPage()}>
          Show more
        </button>
      )}
    </section>
  )
}

function Invite({ of }: { of: Invitation }) {
  const [asks, setAsks] = useState(false)
  const accept = useChange({
    run: () => stoa.acceptInvitation({ id: of.id }),
    changes: [['my-invitations'], ['me']],
    done: () => `You joined ${of.name}`,
  })
  const decline = useChange({
    run: () => stoa.declineInvitation({ id: of.id }),
    changes: [['my-invitations']],
    done: () => `Invitation to ${of.name} declined`,
  })
  return (
    <li>
      <span className="grow">
        <b>{of.name}</b>
        <span className="muted">
          {of.invitedBy} invited you as {of.role}. Valid until <Time at={of.expires} />
        </span>
      </span>
      <span className="end">
        <button type="button" className="btn s" aria-label={`Decline ${of.name}`} onClick={() => setAsks(true)}>
          Decline…
        </button>
        <button
          type="button"
          className="btn s"
          data-kind="primary"
          aria-label={`Accept ${of.name}`}
          aria-busy={accept.isPending}
          onClick={() => accept.mutate()}
        >
          Accept
        </button>
      </span>
      {asks && (
        <Confirm
          title={`Decline the invitation to ${of.name}?`}
          action="Decline invitation"
          onNo={() => setAsks(false)}
          onYes={decline.mutate}
        >
          <p>The invitation and its link end. {of.invitedBy} can invite you again.</p>
        </Confirm>
      )}
    </li>
  )
}
