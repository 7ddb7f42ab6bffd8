// Receives the events of a request: ceilings, privacy, count, then each event. Answered after the commit.
import { clientNetwork } from '../../fair/address.ts'
import { jsonBody, type Reply, reply } from '../../kit/answer.ts'
import { Fault } from '../../kit/fault.ts'
import type { Context, RequestFacts } from '../../kit/operation.ts'
import { wantsPrivacy } from '../../kit/privacy.ts'
import { type Accepted, acceptEvent } from './accept.ts'
import { type Sent, unreadSender } from './reading.ts'
import { type Dropped, type Warning, WORDS } from './reasons.ts'
import { type EventSettings, eventSettings } from './settings.ts'
import type { EventState } from './state.ts'
import { faultBody, type Receipt, receiptFor } from './wires/receipts.ts'
import { type ReadBody, type ReadItem, UnreadableBody } from './wires/wire.ts'

type Receiving = Context<'ingest', EventState>

/** Some SDKs read the body of a failure, and would lose or repeat events with another one. */
export function faultForSender(fault: Fault, request: RequestFacts, sent: Sent | null): object | null {
  const { status, code, message } = fault
  const { wire, count } = sent?.sender ?? unreadSender(request)
  return faultBody(wire, { status, code, message, isTooMany: code === 'too_many_events', count })
}

export async function receiveEvents(context: Receiving, sent: Sent): Promise<Reply> {
  const { caller, request, state } = context
  const { hints, read } = sent
  if (!(read instanceof UnreadableBody)) sent.sender = read
  requireNoDelivery(request)
  if (caller.user === null) requireCeiling(context)
  if (read instanceof UnreadableBody) throw unreadable(read)
  const { items, max, count, wire } = read
  const answer = (receipt: Receipt) => json(receiptFor(wire, receipt, hints))
  if (wantsPrivacy(request.headers)) return answer({ accepted: 0, dropped: count, reason: 'privacy' })
  if (count > max) throw tooMany(max, count, sent.alias !== null)
  const settings = await context.orgSettings.of(eventSettings, caller.org)
  const arrival = await arrivalOf(context, read, settings)
  const events: { index: number; accepted: Accepted }[] = []
  const dropped: Dropped[] = []
  for (const [index, item] of items.entries()) {
    const found = acceptEvent(item, arrival)
    if ('drop' in found) dropped.push({ index, reason: found.drop })
    else events.push({ index, accepted: found })
  }
  if (events.length > 0) {
    if (state.isLogFull) throw logFull()
    const refused = await state.committer.commit(
      caller.org,
      events.map(({ accepted }) => accepted),
    )
    for (const at of refused) dropped.push({ index: events[at]?.index as number, reason: 'not_storable' })
    for (const at of refused.toSorted((a, b) => b - a)) events.splice(at, 1)
  }
  const accepted = items.length - dropped.length
  if (accepted === 0) throw nothingLanded(dropped)
  const warnings = events.flatMap(({ index, accepted }) => warningsAbout(index, items[index], accepted))
  return answer({
    accepted,
    dropped: dropped.length,
    ...(dropped.length > 0 && { errors: dropped }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, WARNINGS_MAX) }),
  })
}

/** One for each event of the largest request. An event may have several, so that a small body could cause a large answer. */
const WARNINGS_MAX = 250

function warningsAbout(index: number, item: ReadItem | undefined, { ingested }: Accepted): Warning[] {
  const notices = item && 'notices' in item ? (item.notices ?? []) : []
  const warnings: Warning[] = notices.map(one => ({ index, ...one }))
  if (ingested.isClamped) warnings.push({ index, reason: 'timestamp_clamped' })
  return warnings
}

async function arrivalOf(
  { caller, request, state, clock, random }: Receiving,
  { items, sentAt }: ReadBody,
  settings: EventSettings,
) {
  const { ip: address, headers } = request
  const isNeeded =
    caller.workspace !== null || items.some(one => !('drop' in one) && !one.distinctId && !one.anonymousId)
  const visitor = isNeeded ? await state.visitorOf(caller.org, address, headers['user-agent'] ?? '') : null
  const newId = () => `evt_${random.token(24)}`
  const receivedMs = clock.now().getTime()
  const received = new Date(receivedMs).toISOString()
  return { caller, settings, receivedMs, received, sentAt, address, visitor, source: state.baseUrl, newId }
}

/** A webhook that points to this host, perhaps behind proxies, would deliver each event as a new one in an endless loop. */
function requireNoDelivery({ headers }: RequestFacts): void {
  if (headers['x-webhook-delivery'] === undefined) return
  throw new Fault('malformed_request', {
    message: 'Webhook deliveries are not accepted as events: they would be delivered again, in an endless loop.',
  })
}

/** Mixpanel's SDK for Node sends each event with its own GET, and never retries. */
const SHARE_OF_GET = 1 / 8

function requireCeiling({ request: { method, ip, peer }, state }: Receiving): void {
  const waitMs = state.ceiling(clientNetwork(ip), peer, method === 'GET' ? SHARE_OF_GET : 1)
  if (waitMs === 0) return
  throw new Fault('ingest_rate', {
    message: 'This address sends too many requests with events. Send several events in one request.',
    retryAfterS: Math.ceil(waitMs / 1000),
  })
}

function unreadable({ reason, message }: UnreadableBody): Fault {
  return new Fault(reason === 'too_large' ? 'body_too_large' : 'malformed_request', { message })
}

const logFull = () =>
  new Fault('overloaded', {
    message:
      'The event log is full, because consumers do not keep up; none of these events were stored. Send them again.',
    retryAfterS: 30,
  })

const tooMany = (max: number, count: number, isOfVendor: boolean) =>
  new Fault(isOfVendor ? 'body_too_large' : 'too_many_events', {
    message: `A request may have at most ${max} events${isOfVendor ? ' here' : ''}; this one has ${count}. Send them in several requests.`,
  })

const NOT_ALLOWED = ['not_allowed_for_token', 'subject_reserved', 'subject_not_allowed']

/** Nothing was stored: because this credential may not write any of them, or because none can be stored. */
function nothingLanded(dropped: readonly Dropped[]): Fault {
  const [first] = dropped
  if (!first) return new Fault('unroutable_events', { message: 'There are no events in the request.' })
  const isForbidden = dropped.every(({ reason }) => NOT_ALLOWED.includes(reason))
  return new Fault(isForbidden ? 'insufficient_capability' : 'unroutable_events', {
    message: `None of the events was stored. Event ${first.index} ${WORDS[first.reason]}.`,
    fields: dropped.slice(0, 20).map(({ index, reason }) => ({ path: `events.${index}`, says: WORDS[reason] })),
  })
}

/** Mixpanel's SDK for Node compares the whole body with `1`. */
const json = (body: object | 1): Reply =>
  reply(200, { 'content-type': 'application/json; charset=utf-8' }, body === 1 ? '1' : jsonBody(body))
