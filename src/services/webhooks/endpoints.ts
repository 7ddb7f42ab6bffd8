// Operations under /v1/webhooks: the endpoints that receive an organisation's events.

import { Type } from 'typebox'
import { nothing } from '../../kit/answer.ts'
import { orNotFound } from '../../kit/fault.ts'
import { integer, prefixedId, secret, string, timestamp } from '../../kit/fields.ts'
import { listing, pageByTime, paging } from '../../kit/page.ts'
import { changesIn } from '../../kit/write.ts'
import { endpointCreated, endpointDeleted, endpointRotated, endpointUpdated } from './events.ts'
import { requireMatching } from './patterns.ts'
import { newSecret, sealSecret } from './secret.ts'
import { operation } from './state.ts'
import * as store from './store.ts'
import * as tables from './tables.ts'
import { requireUrl, URL_MAX } from './url.ts'

const PATTERNS_MAX = 64
const DAY_S = 86_400

export const Id = prefixedId('wh', 'An endpoint')
const Url = string('Where events are sent: an https URL of a public address', 'https://hooks.example.com/stoa', {
  maxLength: URL_MAX,
})
/** As in engines/log/subjects.ts. */
const TOKEN = '(?:\\*|[A-Za-z0-9_-]{1,64})'
const Events = Type.Array(
  string(
    'A pattern of subjects: tokens separated by dots, where `*` matches one token, and `>` at the end the rest. The event `Order Completed` has the subject `event.order_completed`',
    'commerce.order.>',
    { maxLength: 256, pattern: `^(?:>|${TOKEN}(?:\\.${TOKEN}){0,14}(?:\\.(?:${TOKEN}|>))?)$` },
  ),
  {
    maxItems: PATTERNS_MAX,
    description: `Which events are sent: patterns of their subjects, at most ${PATTERNS_MAX}; if empty, all are sent`,
    examples: [['commerce.order.>', 'event.signup']],
  },
)
const Description = string('What it is for, at most 1,024 characters', 'Orders for the warehouse', { maxLength: 1_024 })
const Status = Type.Enum(['active', 'disabled'], {
  description: 'Whether events are sent. Only people change it; failed deliveries never do',
  examples: ['active'],
})
const Retry = Type.Enum(['standard', 'long'], {
  description:
    'How often a failed delivery is retried: `standard`, the default, after 1 s and 5 s; `long` also after 5 min, 30 min, 2 h, 8 h and 24 h. It applies to later deliveries',
  examples: ['standard'],
})
const Secret = secret(
  'The secret that signs its deliveries; it is shown once',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAbCdEfGhIjK=',
)

const fields = {
  id: Id,
  url: Url,
  events: Events,
  description: Description,
  status: Status,
  retry: Retry,
  created: timestamp('When it was created'),
  updated: timestamp('When it was last changed'),
}
const counted = {
  deliveries7d: integer('Deliveries that ended in the last seven days', 1204),
  failures7d: integer('Deliveries of the last seven days of which every attempt failed', 3),
}
const Endpoint = Type.Object(
  { ...fields, ...counted },
  { title: 'WebhookEndpoint', description: 'Where events are sent' },
)
const NewEndpoint = Type.Object(
  { ...fields, secret: Secret },
  { title: 'NewWebhookEndpoint', description: 'An endpoint with its secret' },
)

export const listWebhooks = operation({
  route: 'GET /v1/webhooks',
  summary: "Lists the organisation's endpoints, newest first",
  access: 'bearer',
  input: paging,
  output: listing(Endpoint),
  run: ({ db, caller, clock }, query) => {
    const now = clock.now().toISOString()
    return pageByTime(query, (last, count) => store.selectEndpoints(db, caller.org, now, last, count))
  },
})

export const createWebhook = operation({
  route: 'POST /v1/webhooks',
  summary: 'Creates an endpoint, to which events are sent from now on',
  description: 'Only this answer, and the answer of a rotation, contain the secret.',
  access: 'admin',
  input: {
    url: Url,
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    retry: Type.Optional(Retry),
  },
  output: NewEndpoint,
  status: 201,
  faults: ['conflict'],
  audit: 'webhook.create',
  emits: endpointCreated,
  run: async ({ bounds, caller: { org }, clock, http, random, seal, state, write }, input) => {
    requireMatching(
      input.events ?? [],
      state.subjects.map(({ subject }) => subject),
    )
    const url = await requireUrl(http, state.source, input.url)
    const secret = newSecret(random)
    const created = clock.now().toISOString()
    const { events = [], description = '', retry = 'standard' } = input
    const row: store.Endpoint = {
      ...{ id: `wh_${random.token(24)}`, url, events, description, status: 'active', retry, created, updated: created },
    }
    return write({ serialize: true }, async ({ db, record, emit }) => {
      await store.insertEndpoint(db, org, row, sealSecret(seal, org, row.id, secret))
      await bounds.require(db, tables.webhooks, org)
      record(row.id, changesIn(null, row, CHANGEABLE))
      emit('webhook.endpoint.created', { id: row.id, url })
      return { ...row, secret }
    })
  },
})

export const getWebhook = operation({
  route: 'GET /v1/webhooks/{id}',
  summary: 'Returns one endpoint',
  access: 'bearer',
  input: { id: Id },
  output: Endpoint,
  faults: ['not_found'],
  run: async ({ db, caller, clock }, { id }) =>
    orNotFound(await store.selectEndpoint(db, caller.org, clock.now().toISOString(), id), 'endpoint'),
})

const CHANGEABLE = ['url', 'events', 'description', 'status', 'retry'] as const

export const updateWebhook = operation({
  route: 'PATCH /v1/webhooks/{id}',
  summary: 'Changes the given fields of an endpoint',
  description: 'A disabled endpoint receives no events; events of that time are not sent later.',
  access: 'admin',
  input: {
    id: Id,
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    status: Type.Optional(Status),
    retry: Type.Optional(Retry),
  },
  output: Endpoint,
  faults: ['not_found'],
  audit: 'webhook.update',
  emits: endpointUpdated,
  run: async ({ caller: { org }, clock, http, state, write }, { id, url, ...given }) => {
    requireMatching(
      given.events ?? [],
      state.subjects.map(({ subject }) => subject),
    )
    const changed = { ...given, ...(url !== undefined && { url: await requireUrl(http, state.source, url) }) }
    return write(async ({ db, record, emit }) => {
      const before = orNotFound(await store.lockEndpoint(db, org, id), 'endpoint')
      const after = { ...before, ...changed, updated: clock.now().toISOString() }
      const changes = changesIn(before, after, CHANGEABLE)
      if (Object.keys(changes).length > 0) {
        await store.updateEndpoint(db, org, after)
        record(id, changes)
        emit('webhook.endpoint.updated', { id, url: after.url, changed: Object.keys(changes) })
      }
      return orNotFound(await store.selectEndpoint(db, org, after.updated, id), 'endpoint')
    })
  },
})

export const deleteWebhook = operation({
  route: 'DELETE /v1/webhooks/{id}',
  summary: 'Deletes an endpoint and the log of its deliveries',
  description: 'Nothing more is sent to it, not even pending retries.',
  access: 'admin',
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: 'webhook.delete',
  emits: endpointDeleted,
  run: ({ caller: { org }, write }, { id }) =>
    write(async ({ db, record, emit }) => {
      const { url } = orNotFound(await store.deleteEndpoint(db, org, id), 'endpoint')
      record(id, { url: { from: url } })
      emit('webhook.endpoint.deleted', { id, url })
    }),
})

export const rotateWebhookSecret = operation({
  route: 'POST /v1/webhooks/{id}/secret',
  summary: 'Replaces the secret of an endpoint',
  description:
    'The new secret signs from the next attempt on, including retries of earlier deliveries. With `overlap`, the former secret signs too for that time: each delivery then has two signatures. Another rotation ends the overlap.',
  access: 'admin',
  input: {
    id: Id,
    overlap: Type.Optional(
      integer('How many seconds the former secret signs too, at most a day; default 0', 3600, {
        minimum: 0,
        maximum: DAY_S,
      }),
    ),
  },
  output: NewEndpoint,
  keyed: true,
  faults: ['not_found'],
  audit: 'webhook.rotate',
  emits: endpointRotated,
  run: ({ caller: { org }, clock, random, seal, write }, { id, overlap = 0 }) => {
    const secret = newSecret(random)
    const now = clock.now()
    const updated = now.toISOString()
    const formerUntil = overlap > 0 ? new Date(now.getTime() + overlap * 1000).toISOString() : null
    return write(async ({ db, record, emit }) => {
      const before = orNotFound(await store.lockEndpoint(db, org, id), 'endpoint')
      await store.updateSecret(db, org, id, sealSecret(seal, org, id, secret), formerUntil, updated)
      record(id, { overlap: { to: overlap } })
      emit('webhook.endpoint.rotated', { id })
      return { ...before, updated, secret }
    })
  },
})
