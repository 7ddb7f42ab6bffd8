// Operations under /v1/webhooks/{id}/deliveries and next to them: deliveries and their outcomes, tests and resending.
import { Type } from 'typebox'
import { envelopeOf } from '../../kit/events.ts'
import { conflict, Fault, notFound, orNotFound } from '../../kit/fault.ts'
import { boolean, integer, string, timestamp, withoutNulls } from '../../kit/fields.ts'
import { invalidCursor, listing, page, paging, positionFrom, positionKey, shownAs } from '../../kit/page.ts'
import { newUuid } from '../../kit/uuid.ts'
import { ATTEMPTS, deliveries } from './dispatch/deliveries.ts'
import { sendOnce } from './dispatch/send.ts'
import { Id } from './endpoints.ts'
import * as log from './log.store.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

/** Deliveries that one call sends again. */
const RESEND_MAX = 10_000

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const DeliveryId = string(
  "A delivery's id: a UUID, the same in all its attempts",
  '019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d47',
  { pattern: '^[0-9A-Za-z-]{1,64}$' },
)
const Subject = string("The event's subject", 'commerce.order.created', { maxLength: 1_100 })
const STATUSES = ['ok', 'retrying', 'failed'] as const
const Status = Type.Enum([...STATUSES], {
  description: 'It succeeded; it failed and another attempt follows; or it failed and was the last one',
  examples: ['failed'],
})
const HttpStatus = integer('The status that the endpoint answered', 503)
const Duration = integer('How long the attempt took, in milliseconds', 84)
const Failure = string('Why it failed', 'It answered 503.')

const Attempt = Type.Object(
  {
    id: string("The attempt's id", 'att_019a2f5e7c1b7d3e9a642b8c1f0e5d47_1'),
    delivery: DeliveryId,
    subject: Subject,
    attempt: integer('Which attempt it was, from 1', 1),
    status: Status,
    httpStatus: Type.Optional(HttpStatus),
    error: Type.Optional(Failure),
    response: Type.Optional(string('The beginning of the response', 'busy')),
    durationMs: Duration,
    resendOf: Type.Optional(DeliveryId),
    created: timestamp('When it was sent'),
  },
  { title: 'WebhookDelivery', description: 'One attempt to deliver an event' },
)

export const listWebhookDeliveries = operation({
  route: 'GET /v1/webhooks/{id}/deliveries',
  summary: 'Lists the attempts to deliver events to an endpoint, newest first',
  description: 'Finished attempts are listed for 30 days, unless the operator configured another period.',
  access: 'bearer',
  input: {
    id: Id,
    status: Type.Optional(Status),
    subject: Type.Optional(Subject),
    since: Type.Optional(timestamp('Only attempts at or after this time')),
    until: Type.Optional(timestamp('Only attempts before this time')),
    ...paging,
  },
  output: listing(Attempt),
  faults: ['not_found'],
  run: async ({ db, caller }, { id, status, subject = null, since, until, ...query }) => {
    if (!(await store.isEndpoint(db, caller.org, id))) throw notFound('endpoint')
    const statuses = status ? [status] : STATUSES
    const filter = { statuses, subject, since: since ?? '-infinity' }
    const select = (last: string, count: number) =>
      log.selectAttempts(db, id, filter, before(attemptFrom(last), until), count)
    const found = page(query, select, row => positionKey({ created: row.created, id: idOf(row) }))
    return shownAs(found, shown)
  },
})

export const getWebhookDelivery = operation({
  route: 'GET /v1/webhooks/{id}/deliveries/{delivery}',
  summary: 'Returns one delivery: the body that was sent, and its attempts with the responses of the endpoint',
  access: 'admin',
  input: { id: Id, delivery: DeliveryId },
  output: Type.Object(
    {
      delivery: DeliveryId,
      subject: Subject,
      body: Type.Optional(
        string(
          'The body that was sent, byte for byte; absent if its event is no longer stored',
          '{"specversion":"1.0"}',
        ),
      ),
      attempts: Type.Array(Attempt, { description: 'The finished attempts, oldest first' }),
    },
    { title: 'WebhookDeliveryDetails', description: 'A delivery with its body' },
  ),
  faults: ['not_found'],
  run: async ({ db, caller: { org } }, { id, delivery }) => {
    const isKnown = UUID.test(delivery) && (await store.isEndpoint(db, org, id))
    const [rows, body] = isKnown
      ? await Promise.all([log.selectAttemptsOf(db, id, delivery), log.selectBody(db, id, delivery)])
      : [[], null]
    const [first] = rows
    if (!first) throw notFound('delivery')
    return withoutNulls({ delivery, subject: first.subject, body, attempts: rows.map(shown) })
  },
})

const idOf = ({ delivery, attempt }: Pick<log.AttemptRow, 'delivery' | 'attempt'>) =>
  `att_${delivery.replaceAll('-', '')}_${attempt}`

const FIRST = { delivery: '00000000-0000-0000-0000-000000000000', attempt: 0 }

function attemptFrom(last: string): log.AttemptPosition {
  const { created, id } = positionFrom(last)
  if (id === '') return { ...FIRST, created }
  const [, delivery, attempt] = id.match(/^att_([0-9a-f]{32})_(\d)$/) ?? []
  if (delivery === undefined) throw invalidCursor()
  return { created, delivery, attempt: Number(attempt) }
}

/** The list begins at `until` if that is earlier: a condition beside the position would read all that is later. */
function before(after: log.AttemptPosition, until: string | undefined): log.AttemptPosition {
  const isEarlier = until !== undefined && !(Date.parse(after.created) < Date.parse(until))
  return isEarlier ? { ...FIRST, created: until } : after
}

const shown = ({ httpStatus, error, response, resendOf, ...row }: log.AttemptRow) =>
  withoutNulls({ id: idOf(row), ...row, httpStatus, error, response: response === '' ? null : response, resendOf })

export const testWebhook = operation({
  route: 'POST /v1/webhooks/{id}/test',
  summary: 'Sends a test delivery and returns its result',
  description:
    'One attempt with the subject `webhook.test`, signed and logged like any other, even if the endpoint is disabled or does not want this subject.',
  access: 'admin',
  input: { id: Id },
  output: Type.Object(
    {
      delivery: DeliveryId,
      delivered: boolean('Whether it succeeded', true),
      httpStatus: Type.Optional(HttpStatus),
      error: Type.Optional(Failure),
      durationMs: Duration,
    },
    { title: 'WebhookTest', description: 'The result of a test delivery' },
  ),
  faults: ['not_found', 'too_many_tries'],
  audit: 'none',
  run: async ({ caller: { org }, clock, http, queues, random, state, write }, { id }) => {
    const now = clock.now()
    const subject = 'webhook.test'
    const told = envelopeOf(
      { clock, random, source: state.source },
      { subject, data: { id }, tenant: org, project: null },
    )
    const event = { id: newUuid(random, now), org, subject, body: JSON.stringify(told) }
    using _ = takeTest(state.testing, id)
    const { target, job } = await write(async ({ db }) => {
      const target = orNotFound(await log.lockTarget(db, org, id), 'endpoint')
      await log.insertEvent(db, event)
      const payload = { event: event.id }
      return { target, job: await queues.begin(db, deliveries, { key: id, org, payload }, LOST_MS) }
    })
    const delivery = job.id
    const sent = { subject, body: Buffer.from(event.body) }
    const outcome = await sendOnce({ http, clock, keysOf: state.keysOf }, delivery, target, sent)
    if (!outcome)
      throw new Fault('overloaded', { message: 'Too many connections are open. Try again.', retryAfterS: 5 })
    const { durationMs, httpStatus, error } = outcome
    const result = { ...outcome, subject }
    await write(({ db }) => queues.end(db, deliveries, job, { isOk: error === null, result }))
    return withoutNulls({ delivery, delivered: error === null, durationMs, httpStatus, error })
  },
})

/** After this time a test counts as interrupted; it is longer than a test can take. */
const LOST_MS = 30_000
/** Concurrent tests of one endpoint, so that tests cannot be used to flood others. */
const TESTS_MAX = 2

/** `testing` has the endpoint of each test that runs. */
function takeTest(testing: string[], id: string): Disposable {
  if (testing.filter(one => one === id).length >= TESTS_MAX) {
    throw new Fault('too_many_tries', {
      message: `${TESTS_MAX} tests of this endpoint are running; wait for one of them.`,
      retryAfterS: 1,
    })
  }
  testing.push(id)
  return { [Symbol.dispose]: () => void testing.splice(testing.indexOf(id), 1) }
}

export const resendWebhookDelivery = operation({
  route: 'POST /v1/webhooks/{id}/deliveries/{delivery}/resend',
  summary: 'Sends a delivery again, with a new delivery id',
  description:
    'The body is the same and is signed again; failures are retried as usual. It is sent soon after the answer. A delivery that has not ended cannot be sent again.',
  access: 'admin',
  input: { id: Id, delivery: DeliveryId },
  output: Type.Object({ delivery: DeliveryId }, { title: 'WebhookResent', description: 'The new delivery' }),
  status: 202,
  keyed: true,
  faults: ['not_found', 'conflict'],
  audit: 'webhook.resend',
  run: ({ caller: { org }, clock, queues, random, write }, { id, delivery }) => {
    const resent = newUuid(random, clock.now())
    return write(async ({ db, record }) => {
      const endpoint = orNotFound(await store.lockEndpoint(db, org, id), 'endpoint')
      requireActive(endpoint)
      if (!UUID.test(delivery)) throw notFound('delivery')
      if (await queues.isWaiting(db, deliveries, id, delivery)) throw pending()
      const found = orNotFound(await log.takeDelivery(db, id, delivery), 'delivery')
      const attemptsMax = ATTEMPTS[endpoint.retry]
      await queues.add(db, deliveries, [{ key: id, org, payload: found, id: resent, attemptsMax }])
      db.beforeCommit(() => log.countResends(db, [found]))
      record(id, { delivery: { to: delivery } })
      return { delivery: resent }
    })
  },
})

export const resendFailedWebhookDeliveries = operation({
  route: 'POST /v1/webhooks/{id}/resend',
  summary: 'Sends all failed deliveries since a given time again',
  description: `At most ${RESEND_MAX}, oldest first; a delivery that was already sent again is skipped, unless that failed too.`,
  access: 'admin',
  input: { id: Id, since: timestamp('Deliveries whose last attempt was at or after this time') },
  output: Type.Object(
    { count: integer('How many deliveries are sent again', 12) },
    { title: 'WebhookResentAll', description: 'The result of sending failed deliveries again' },
  ),
  status: 202,
  keyed: true,
  faults: ['not_found', 'conflict'],
  audit: 'webhook.resend',
  run: ({ caller: { org }, queues, write }, { id, since }) =>
    write({ serialize: true }, async ({ db, record }) => {
      const endpoint = orNotFound(await store.lockEndpoint(db, org, id), 'endpoint')
      requireActive(endpoint)
      const failed = await log.takeFailed(db, id, since, RESEND_MAX)
      if (failed.length === 0) return { count: 0 }
      await queues.add(
        db,
        deliveries,
        failed.map(payload => ({ key: id, org, payload, attemptsMax: ATTEMPTS[endpoint.retry] })),
      )
      db.beforeCommit(() => log.countResends(db, failed))
      record(id, { since: { to: since }, count: { to: failed.length } })
      return { count: failed.length }
    }),
})

const pending = () =>
  conflict('The delivery has not ended yet: it is being sent, or will be retried soon. Wait for its outcome.')

function requireActive({ status }: store.Endpoint): void {
  if (status === 'active') return
  throw conflict('The endpoint is disabled, so nothing is sent to it. Activate it first.')
}
