// The tag: `stoa('capture', 'Signed Up', { plan: 'pro' })`, and what is recorded without being called.
import { recordElements, recordViews } from './elements.ts'
import { recordErrors } from './errors.ts'
import { facts } from './facts.ts'
import { pageProperties, watchPages } from './pages.ts'
import { add, discardLeft, flushNow, leave, mayRecord, resume } from './queue.ts'
import { events, key, listen, note, type Properties, safe, setting } from './settings.ts'
import { forget, identifyAs, newId, optedOut, optOut, visitorAt } from './visitor.ts'

type Call = [atMs: number, args: ArrayLike<unknown>]
/** The function that the page calls. Until the tag is loaded, `q` has the calls. */
type Stub = { (...args: unknown[]): void; q?: { length: number; push(call: Call): void } }

const off = (setting('off') ?? '').split(' ')

function capture(event: unknown, properties: unknown, atMs = Date.now()): void {
  if (!mayRecord()) return
  const { anon, user, session } = visitorAt(atMs)
  add({
    event,
    messageId: newId(),
    timestamp: new Date(atMs).toISOString(),
    distinctId: user,
    anonymousId: anon,
    sessionId: session,
    properties: { ...facts(), ...(typeof properties === 'object' && properties) },
  })
}

const record = (event: string, properties: Properties) => {
  if (!off.includes(event)) capture(event, properties)
}

const COMMANDS: Record<string, ((atMs: number, first?: unknown, second?: unknown) => void) | undefined> = {
  __proto__: null as never,
  capture: (atMs, event, properties) => {
    if (event && typeof event === 'string') capture(event, properties, atMs)
    else note('the event has no name')
  },
  page: (atMs, properties) =>
    capture('$pageview', { ...pageProperties(), ...(properties as Properties | undefined) }, atMs),
  identify: (atMs, user, traits) => {
    if (!user || !['string', 'number'].includes(typeof user)) return note('identify needs an id')
    if (!mayRecord()) return
    visitorAt(atMs)
    if (identifyAs(String(user)) || traits) capture('$identify', { $set: traits }, atMs)
  },
  reset: () => {
    if (mayRecord()) forget()
  },
  optOut: () => {
    optOut()
    discardLeft()
    flushNow() // It discards what waits.
  },
  // Pages may call it each time: a visitor who has not opted out stays the same.
  optIn: () => {
    if (optedOut()) forget()
  },
}

const run = safe(([atMs, args]: Call) => {
  const command = COMMANDS[String(args[0])]
  if (command) command(atMs, args[1], args[2])
  else note('unknown command', args[0])
})

function begin(queued: Call[]): void {
  resume()
  for (const call of queued) run(call)
  const again = safe(() => recordViews(record))()
  watchPages(() => {
    record('$pageview', pageProperties())
    again?.()
  })
  recordElements(record)
  recordErrors(record)
  listen(window, 'pagehide', leave)
  listen(window, 'pageshow', resume)
  listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'hidden') flushNow()
  })
}

// Whatever this throws, it is caught: see `tools/generate/tag.ts`.
function start(): void {
  const page = window as unknown as { stoa?: Stub }
  const stub: Stub = typeof page.stoa === 'function' ? page.stoa : (...args) => stub.q?.push([Date.now(), args])
  const queued = stub.q ?? []
  // Another tag is there already.
  if (!Array.isArray(queued)) return
  if (!key || !events) {
    note('data-key is missing')
    return
  }
  page.stoa = stub
  // A page that is loaded in advance has not been viewed.
  const isAhead = (document as { prerendering?: boolean }).prerendering
  const go = () => {
    stub.q = { length: 0, push: run }
    begin(queued)
  }
  if (isAhead) listen(document, 'prerenderingchange', go)
  else go()
}

start()
