import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Key } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { Secret } from '../../parts/secret.tsx'
import { Time } from '../../parts/time.tsx'
import { EditKey } from './edit.tsx'
import { KeyStatus, Limits } from './keys.tsx'

/** How long the former text works after a rotation. */
const OVERLAP_S = 3_600

export function KeyDetails({ of, ...steps }: { of: Key } & Steps) {
  const { data: person } = useQuery(me)
  const [asks, setAsks] = useState<'revoke' | 'rotate' | 'edit' | null>(null)
  const changes = [['keys']]
  const revoke = useChange({ run: () => stoa.deleteKey({ id: of.id }), changes, done: () => `Key ${of.name} revoked` })
  const rotate = useChange({ run: () => stoa.rotateKey({ id: of.id, overlap: OVERLAP_S }), changes })
  const isOwn = of.creator === person?.email
  const actions = of.status === 'active' && (
    <>
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks('revoke')}>
        <Icon name="trash" />
        Revoke…
      </button>
      {isOwn && (
        <span className="right">
          {of.type === 'secret' && (
            <button type="button" className="btn" onClick={() => setAsks('rotate')}>
              <Icon name="refresh" />
              Rotate…
            </button>
          )}
          <button type="button" className="btn" onClick={() => setAsks('edit')}>
            Edit
          </button>
        </span>
      )}
    </>
  )
  const sub = (
    <>
      <KeyStatus of={of} />
      <Id text={of.id} show />
    </>
  )
  if (asks === 'edit') return <EditKey of={of} onClose={() => setAsks(null)} />
  return (
    <>
      <Drawer title={of.name} sub={sub} foot={actions} {...steps}>
        {rotate.data && <Secret label="Key" text={rotate.data.key} />}
        <Facts of={factsOf(of)} />
      </Drawer>
      {asks === 'revoke' && (
        <Confirm title={`Revoke ${of.name}?`} action="Revoke key" onNo={() => setAsks(null)} onYes={revoke.mutate}>
          <p>
            Requests with this key fail from now on. It was last used: <Time at={of.lastUsed} none="never" />. A revoked
            key cannot be restored.
          </p>
        </Confirm>
      )}
      {asks === 'rotate' && (
        <Confirm
          title={`Rotate ${of.name}?`}
          action="Rotate key"
          tone="primary"
          onNo={() => setAsks(null)}
          onYes={rotate.mutate}
        >
          <p>The key gets a new text, which is shown once. The present one works for another hour.</p>
        </Confirm>
      )}
    </>
  )
}

const factsOf = (of: Key) => ({
  Type: of.type === 'secret' ? `Secret, acts as ${of.creator}` : 'Publishable, sends events only',
  Key: of.key && <Id text={of.key} show />,
  'May do': <Limits of={of} />,
  Spent: of.type === 'secret' && (
    <>
      <Money cents={of.spendMonth} /> this month, <Money cents={of.spend} /> in total
    </>
  ),
  Budget: of.budget && (
    <>
      {of.budget.month > 0 && (
        <>
          <Money cents={of.budget.month} /> a month{' '}
        </>
      )}
      {of.budget.total > 0 && (
        <>
          <Money cents={of.budget.total} /> in total
        </>
      )}
    </>
  ),
  Expires: <Time at={of.expires} none="never" />,
  Created: (
    <>
      <Time at={of.created} /> <span className="muted">by {of.creator}</span>
    </>
  ),
  'Last used': <Time at={of.lastUsed} none="never" />,
  Revoked: of.revokedAt && (
    <>
      <Time at={of.revokedAt} /> <span className="muted">by {of.revokedBy}</span>
    </>
  ),
})
