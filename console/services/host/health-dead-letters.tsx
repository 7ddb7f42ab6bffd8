import './host.css'
import type { DeadLetter } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { HealthTabs, WITHIN } from './queries.tsx'

export function DeadLetters() {
  useCode('listDeadLetters', 'GET', '/v1/o11y/dead-letters', {})
  return (
    <List
      title="Dead letters"
      heading="Health"
      within={WITHIN}
      about="Events that a consumer failed to handle 20 times. They are kept for 30 days, and hold nothing up."
      top={<HealthTabs />}
      noun={['dead letter', 'dead letters']}
      query={pages(['dead-letters'], (after, options) => stoa.listDeadLetters(after, options))}
      idOf={({ id }) => id}
      columns={COLUMNS}
      details={(letter, steps) => <Details of={letter} {...steps} />}
      empty={{ icon: 'check', title: 'No dead letter', says: 'Every event was handled, or is still being tried.' }}
    />
  )
}

const COLUMNS: Column<DeadLetter>[] = [
  { head: 'Event', className: 'p1', cell: ({ event }) => event.subject },
  { head: 'Organisation', className: 'p3', cell: ({ event }) => event.tenant },
  { head: 'Consumer', className: 'low', cell: ({ consumer }) => consumer },
  { head: 'Error', className: 'low fill', cell: ({ error }) => error },
  { head: 'Gave up', className: 'r p2', cell: ({ at }) => <Time at={at} /> },
]

function Details({ of, ...steps }: { of: DeadLetter } & Steps) {
  const retry = useChange({
    run: () => stoa.retryDeadLetter({ id: of.id }),
    changes: [['dead-letters'], ['consumers']],
    done: () => `${of.consumer} receives the event again`,
    onDone: steps.onClose,
  })
  const foot = (
    <span className="right">
      <BusyButton data-kind="primary" isBusy={retry.isPending} onClick={() => retry.mutate()}>
        <Icon name="repeat" />
        Retry event
      </BusyButton>
    </span>
  )
  return (
    <Drawer title={of.event.subject} sub={<Id text={of.event.id} show />} foot={foot} {...steps}>
      <div className="host-wrap">
        <CodeBlock title="Error" samples={[{ name: 'Error', code: of.error }]} />
      </div>
      <Facts
        of={{
          Consumer: of.consumer,
          Organisation: of.event.tenant,
          Happened: <Time at={of.event.time} />,
          'Gave up': <Time at={of.at} />,
        }}
      />
      <p className="muted">
        A retried event is handled before those that wait. After 20 more failures it is a dead letter again.
      </p>
    </Drawer>
  )
}
