// What the cases share. They run in Node and in pages, so they use nothing specific to either.
import type * as Client from '../../../client/stoa.ts'
import type { Recorded } from '../unreliable-server.ts'

export type Environment = {
  client: typeof Client
  /** A client that was generated from the specimen service. */
  specimen: SpecimenClient
  baseUrl: string
  key: string
  publishable: string
  /** Distinguishes what this run creates. */
  prefix: string
  /** The URL of the unreliable server. */
  unreliable: string
  webhook: { payload: string; headers: Record<string, string>; secret: string }
}

type Options = Client.CallOptions
type Ticks = AsyncGenerator<Client.StoaEvent<{ n: number }>, void, undefined>
type SpecimenClient = {
  StoaApiError: typeof Client.StoaApiError
  StoaConnectionError: typeof Client.StoaConnectionError
  createStoa(options: Client.StoaOptions): {
    ticks(input?: { count?: number; fails?: boolean }, options?: Options): Ticks
    endlessEvents(input?: object, options?: Options): Ticks
    chat(input: { model: string }, options?: Options): Client.Call<{ model: string }>
    chat(input: { model: string; stream: true }, options?: Options): AsyncGenerator<{ n: number }, void, undefined>
  }
}

export type Case = (environment: Environment) => Promise<void>

export function check(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

export function same(actual: unknown, expected: unknown, what = 'value'): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)]
  check(is === should, `${what} is ${is}, should be ${should}`)
}

// biome-ignore lint/suspicious/noExplicitAny: a case inspects errors of any class
type Rejected = any

export async function rejection(promise: Promise<unknown>): Promise<Rejected> {
  const outcome = await promise.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return outcome.error
  throw new Error(`resolved to ${JSON.stringify(outcome.value)}`)
}

export const connected = ({ client, baseUrl, key }: Environment) =>
  client.createStoa({ baseUrl, key, dangerouslyAllowBrowser: true })

/** A client of the unreliable server, in a run of its own. */
export function against({ client, specimen, unreliable }: Environment, scenario: string, options: object = {}) {
  const { fetch: inRun, recorded } = runOf(unreliable, scenario)
  const settings = { baseUrl: unreliable, fetch: inRun, ...options }
  return { stoa: client.createStoa(settings), specimen: specimen.createStoa(settings), recorded }
}

/** The server finds the run and the scenario in the path, which a `baseUrl` cannot have. */
export function runOf(unreliable: string, scenario: string) {
  const run = crypto.randomUUID()
  const inRun: Client.StoaOptions['fetch'] = (url, init) =>
    fetch(url.replace(unreliable, `${unreliable}/${run}/${scenario}`), init)
  const recorded = async (): Promise<Recorded[]> =>
    JSON.parse(await (await fetch(`${unreliable}/${run}/recorded`)).text())
  return { fetch: inRun, recorded }
}

/** A signal that knows how many listeners it has. */
export function countedSignal() {
  const controller = new AbortController()
  const { signal } = controller
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  const listeners = new Set<unknown>()
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1])
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1])
    remove(...args)
  }
  return { signal, listeners, abort: (reason: unknown) => controller.abort(reason) }
}

export async function eventually(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await isTrue()) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`never happened: ${what}`)
}
