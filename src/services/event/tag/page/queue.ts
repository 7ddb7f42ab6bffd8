// Events that wait to be sent, and what becomes of them. They are sent in batches, one at a time; each event has an id, so that
// it is stored once however often it is sent.
import { events as address, key, note, safe } from './settings.ts'
import { optedOut, readStore, wantsPrivacy, writeStore } from './visitor.ts'

/** `again`: it was sent before, and nobody knows whether it was stored. */
type Item = { text: string; bytes: number; again?: boolean }

/** The limits of a request. Browsers have the same for what is sent while a page closes. */
const BATCH_EVENTS_MAX = 50
const BATCH_BYTES_MAX = 64_000
/** Of what waits while the server is down. */
const BYTES_MAX = 500_000
/** Of what is left for the next page. */
const LEFT_EVENTS_MAX = 200
const SOON_MS = 1_000
const AGAIN_MS = 3_000
const TIMEOUT_MS = 30_000
const BACKOFF_MAX_MS = 60_000
/** However long the server asks for. */
const WAIT_MAX_MS = 600_000
const STORE = 'stoa.left'

let waiting: Item[] = []
let sending: Item[] = []
let timer = 0
let failures = 0
/** The server's answers cannot be read here: there are no CORS headers. Undefined until it is known. */
let isBlind: boolean | undefined
let isRefused = false
let hasDropped = false

const url = `${address}?ingest_key=${key}`
// Pages that replace it later are left alone.
const send = window.fetch
const later = window.setTimeout

/** Whether anything may be stored about the visitor. */
export const mayRecord = (): boolean => !isRefused && !wantsPrivacy() && !optedOut()

export function add(event: object): void {
  addText(JSON.stringify(event))
  if (waiting.length < BATCH_EVENTS_MAX) sendIn(SOON_MS)
  else flushNow()
}

/** Unless the server is down, or has said how long to wait. */
export function flushNow(): void {
  if (failures === 0) flush()
}

function addText(text: string): void {
  const bytes = new TextEncoder().encode(text).length + 1
  if (bytes > BATCH_BYTES_MAX) note('an event is too large')
  else waiting.push({ text, bytes })
  bound()
}

/** Drops the oldest. */
function bound(): void {
  let bytes = waiting.reduce((sum, one) => sum + one.bytes, 0)
  while (bytes > BYTES_MAX) {
    bytes -= (waiting.shift() as Item).bytes
    if (!hasDropped) note('oldest events dropped')
    hasDropped = true
  }
}

function sendIn(ms: number): void {
  timer ||= later(safe(flush), ms)
}

function cancel(): void {
  clearTimeout(timer)
  timer = 0
}

/** Takes the next batch. */
function take(): Item[] {
  let bytes = 0
  const end = waiting.findIndex((one, at) => {
    bytes += one.bytes
    return at === BATCH_EVENTS_MAX || bytes > BATCH_BYTES_MAX
  })
  return waiting.splice(0, end < 0 ? waiting.length : end)
}

const bodyOf = (batch: readonly Item[]) =>
  `{"sentAt":"${new Date().toISOString()}","events":[${batch.map(one => one.text).join()}]}`

function flush(): void {
  cancel()
  if (!mayRecord()) waiting = []
  if (sending.length > 0 || waiting.length === 0) return
  const batch = take()
  sending = batch
  const settled = safe((outcome: () => void) => {
    clearTimeout(timeout)
    if (sending !== batch) return
    sending = []
    outcome()
    bound()
    if (waiting.length > 0) sendIn(waiting.length < BATCH_EVENTS_MAX ? SOON_MS : 0)
  })
  const failed = () => settled(() => retry(batch, 0))
  const timeout = later(failed, TIMEOUT_MS)
  post(bodyOf(batch))
    .then(async response => {
      const receipt = response.status === 200 && (await response.json())
      settled(() => answered(batch, response, receipt))
    })
    .catch(failed)
}

/** As a request that needs no preflight. If nothing has been read yet, every other attempt does without an answer. */
function post(body: string): Promise<Response> {
  const mode = (isBlind ?? failures % 2) ? 'no-cors' : 'cors'
  try {
    return send(url, { method: 'POST', body, mode, credentials: 'omit', keepalive: failures === 0 })
  } catch {
    // The page has a `fetch` of its own that does not work.
    return Promise.resolve({ type: navigator.sendBeacon(url, body) ? 'opaque' : 'basic', status: 503 } as Response)
  }
}

type Receipt = { dropped?: number; reason?: string; errors?: { index: number; reason: string }[] }

function answered(batch: readonly Item[], { type, status, headers }: Response, receipt: Receipt | false): void {
  if (type === 'opaque') {
    isBlind = true
    failures = 0
    sendOnceMore(batch)
    return
  }
  isBlind = false
  if (receipt) {
    failures = 0
    const { dropped, errors, reason } = receipt
    const isDropped = (at: number) => (errors ? errors.some(({ index }) => index === at) : dropped && !reason)
    sendOnceMore(batch.filter((_, at) => isDropped(at)))
    if (dropped) note('events not stored', reason ?? errors)
  } else if (status === 429 || status === 408 || status >= 500) {
    retry(batch, Number(headers?.get('retry-after')) * 1000 || 0)
  } else {
    note('events refused', status)
    if (status === 401 || status === 403) isRefused = true
  }
}

function sendOnceMore(batch: readonly Item[]): void {
  const once = batch.filter(one => !one.again)
  for (const one of once) one.again = true
  waiting.unshift(...once)
  if (once.length > 0) sendIn(AGAIN_MS)
}

function retry(batch: readonly Item[], ms: number): void {
  waiting.unshift(...batch)
  // An attempt without CORS looks like one without a network.
  if (isBlind === undefined) for (const one of batch) one.again = true
  const backoffMs = Math.min(BACKOFF_MAX_MS, SOON_MS * 2 ** failures++) * (1 + Math.random())
  // An event that was added meanwhile may not be sent earlier.
  cancel()
  sendIn(Math.min(WAIT_MAX_MS, Math.max(ms, backoffMs)))
}

/** Whether the next batch could be handed to the browser. */
function beacon(): boolean {
  const batch = take()
  const isSent = navigator.sendBeacon(url, bodyOf(batch))
  if (!isSent) waiting.unshift(...batch)
  return isSent
}

/** The page closes. What cannot be sent now is left for the next page of the site. */
export function leave(): void {
  if (!mayRecord()) return
  waiting.unshift(...sending)
  sending = []
  while (failures === 0 && waiting.length > 0 && beacon()) {}
  if (waiting.length === 0) return
  const left = leftTexts()
  left.push(...waiting.map(one => one.text))
  if (writeStore(STORE, left.slice(-LEFT_EVENTS_MAX))) waiting = []
  else beacon()
}

const leftTexts = (): string[] => {
  const left = readStore(STORE)
  return Array.isArray(left) ? left : []
}

/** What former pages could not send. */
export function resume(): void {
  const left = mayRecord() ? leftTexts() : []
  if (left.length === 0) return
  discardLeft()
  for (const text of left) addText(text)
  sendIn(SOON_MS)
}

export const discardLeft = (): unknown => writeStore(STORE, [])
