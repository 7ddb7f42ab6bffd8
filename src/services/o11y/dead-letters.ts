// Operations under /v1/o11y/dead-letters: events that a consumer failed to handle too often.
import { Type } from 'typebox'
import type { Envelope } from '../../engines/engines.ts'
import { nothing } from '../../kit/answer.ts'
import { Fault } from '../../kit/fault.ts'
import { string, timestamp } from '../../kit/fields.ts'
import { requeueDeadLetter, selectDeadLetters } from '../../kit/host/consumers.store.ts'
import { operation } from '../../kit/operation.ts'
import { listing, numberFrom, page, paging, shownAs } from '../../kit/page.ts'

const DeadLetterId = string('The id of a dead letter', '4711', { pattern: '^[1-9][0-9]{0,14}$' })

const DeadLetter = Type.Object(
  {
    id: DeadLetterId,
    consumer: string('The consumer that failed to handle it', 'webhooks.fan-out'),
    at: timestamp('When it became a dead letter'),
    error: string('The error of the last attempt', 'the table is read-only'),
    event: Type.Object(
      {
        id: string('The id of the event', 'evt_4vJ9mWcX2bQeT7yLrK0sZp1n'),
        subject: string('The subject of the event', 'project.domain.verified'),
        tenant: string('The organisation of the event', 'acme'),
        time: string('When it happened', '2026-11-15T09:30:00.000Z'),
      },
      { description: 'What identifies the event; its data belongs to the organisation and is not shown' },
    ),
  },
  { title: 'DeadLetter', description: 'An event that a consumer failed to handle 20 times' },
)

export const listDeadLetters = operation({
  route: 'GET /v1/o11y/dead-letters',
  summary: 'Lists the dead letters: events that a consumer failed to handle too often, newest first',
  description: 'Dead letters are kept for 30 days. They do not hold up later events of the same organisation.',
  access: 'superadmin',
  input: paging,
  output: listing(DeadLetter),
  run: ({ db }, query) => {
    const select = (last: string, count: number) =>
      selectDeadLetters(db, last === '' ? Number.MAX_SAFE_INTEGER : numberFrom(last), count)
    return shownAs(
      page(query, select, ({ id }) => String(id)),
      ({ id, envelope, ...one }) => {
        const { id: event, type: subject, tenant, time } = JSON.parse(envelope) as Envelope
        return { ...one, id: String(id), event: { id: event, subject, tenant, time } }
      },
    )
  },
})

export const retryDeadLetter = operation({
  route: 'POST /v1/o11y/dead-letters/{id}/retry',
  summary: 'Retries a dead letter: its consumer receives the event again',
  description:
    'It is handled before the waiting events of its organisation, and becomes a dead letter again after 20 more failures.',
  access: 'superadmin',
  input: { id: DeadLetterId },
  output: nothing,
  audit: 'event.retry',
  faults: ['not_found'],
  run: ({ clock, write }, { id }) =>
    write(async ({ db, record }) => {
      if (!(await requeueDeadLetter(db, Number(id), clock.now().toISOString()))) {
        throw new Fault('not_found', {
          message: 'There is no dead letter with this id; GET /v1/o11y/dead-letters lists them.',
        })
      }
      record(id, { status: { from: 'dead letter', to: 'waiting' } })
    }),
})
