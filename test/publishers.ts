// Mocks the sources of the risk reference: each answers with the document a test publishes and records its requests.
// No set is loaded unless the test loads it.
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { CATALOGUE } from '../src/services/risk/catalogue.ts'
import type { Answer, TestHost } from './host.ts'

type Reply = { status?: number; body?: string | Uint8Array; headers?: Record<string, string> }
type Headers = Record<string, string>
/** A body, a response, a connection error, or a function from request headers to one of these. */
export type Published = string | Uint8Array | Reply | Error | ((headers: Headers) => Published)

type Edition = { published: Published; left: number; requests: Headers[] }
/** The editions of each source, by mock network. The last edition that has requests left answers. */
const editionsByNetwork = new WeakMap<TestHost['mockAgent'], Map<string, Edition[]>>()

export const originOf = (source: string): URL => {
  const found = CATALOGUE.flatMap(set => set.sources).find(one => one.source === source)
  assert.ok(found, `no such source: ${source}`)
  return new URL(found.origin)
}

/**
 * Makes a source answer like this from now on, or for `times` requests and then as before. Returns the headers of each
 * request answered like this.
 */
export function publish(
  { mockAgent }: Pick<TestHost, 'mockAgent'>,
  source: string,
  published: Published,
  times = Infinity,
): Headers[] {
  const bySource = editionsByNetwork.get(mockAgent) ?? new Map<string, Edition[]>()
  editionsByNetwork.set(mockAgent, bySource)
  let editions = bySource.get(source)
  if (!editions) {
    editions = []
    bySource.set(source, editions)
    const { origin, pathname, search } = originOf(source)
    const answer = answerFrom.bind(null, editions)
    mockAgent
      .get(origin)
      .intercept({ path: pathname + search, method: 'GET' })
      .reply(({ headers }) => answer(lowerCased(headers)))
      .persist()
  }
  if (times === Infinity) editions.length = 0
  const requests: Headers[] = []
  editions.push({ published, left: times, requests })
  return requests
}

function answerFrom(editions: Edition[], headers: Headers) {
  while (editions.at(-1)?.left === 0) editions.pop()
  const edition = editions.at(-1)
  assert.ok(edition, 'a source received more requests than it has answers')
  edition.left--
  edition.requests.push(headers)
  let { published } = edition
  while (typeof published === 'function') published = published(headers)
  if (published instanceof Error) throw published
  const reply = typeof published === 'string' || published instanceof Uint8Array ? { body: published } : published
  const data = typeof reply.body === 'string' || reply.body === undefined ? reply.body : Buffer.from(reply.body)
  return { statusCode: reply.status ?? 200, data: data ?? '', responseOptions: { headers: reply.headers ?? {} } }
}

const lowerCased = (headers: unknown): Headers =>
  Object.fromEntries(Object.entries((headers ?? {}) as Headers).map(([name, text]) => [name.toLowerCase(), text]))

export const brokenConnection = (): Error =>
  Object.assign(new Error('connection reset by peer'), { code: 'ECONNRESET' })

export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

const lines = (...rows: string[]) => `${rows.join('\n')}\n`

/** A small valid document for every source. */
export const small: Record<string, string> = {
  disposable: lines('mailinator.com', 'yopmail.com', 'in-both.com'),
  'disposable-mit': lines('trashmail.com', 'in-both.com'),
  aws: JSON.stringify({
    prefixes: [
      { ip_prefix: '44.192.0.0/11', region: 'us-east-1', service: 'AMAZON' },
      { ip_prefix: '44.199.180.0/23', region: 'eu-west-1', service: 'AMAZON' },
    ],
    ipv6_prefixes: [{ ipv6_prefix: '2600:1f00::/24', region: 'us-east-1', service: 'AMAZON' }],
  }),
  gcp: JSON.stringify({ prefixes: [{ ipv4Prefix: '34.1.208.0/20', scope: 'africa-south1' }] }),
  oracle: JSON.stringify({ regions: [{ region: 'eu-frankfurt-1', cidrs: [{ cidr: '130.61.0.0/16' }] }] }),
  digitalocean: lines('5.101.96.0/21,NL,NL-NH,Amsterdam,1105AT'),
  linode: lines('45.33.0.0/17,US,US-TX,Richardson,'),
  vultr: lines('45.32.0.0/21,US,US-NJ,Piscataway,'),
  fastly: JSON.stringify({ addresses: ['151.101.0.0/16'], ipv6_addresses: ['2a04:4e40::/32'] }),
  cloudflare4: lines('104.16.0.0/13'),
  cloudflare6: lines('2606:4700::/32'),
  tor: lines('185.220.101.1', '185.220.101.2'),
  relay: lines('172.224.224.0/27,GB,GB-EN,London,'),
  'x4bnet-vpn': lines('146.70.0.0/16', '185.220.101.1/32'),
  'x4bnet-vpn6': lines('2a03:1b20::/32'),
  reserved4: lines('Address Block,Name,RFC', '10.0.0.0/8,Private-Use,[RFC1918]'),
  reserved6: lines('Address Block,Name,RFC', 'fc00::/7,Unique-Local,[RFC4193]'),
  patterns: JSON.stringify([
    { pattern: 'Googlebot\\/', url: 'http://www.google.com/bot.html' },
    { pattern: 'bingbot', url: 'http://www.bing.com/bingbot.htm' },
  ]),
  'top-agents': JSON.stringify([CHROME, 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0']),
  iana: lines('Number,Description', '1-1876,Assigned by ARIN', '13312-15359,Assigned by ARIN'),
  iana32: lines('Number,Description', '0-65535,See Sub-registry 16-bit AS numbers', '131072-132095,Assigned by APNIC'),
  'x4bnet-hosting': lines('AS13335 # Cloudflare', 'AS16509 # Amazon'),
}

export const sourcesOf = (set: string): string[] =>
  (CATALOGUE.find(entry => entry.set === set)?.sources ?? []).map(({ source }) => source)

export const refresh = (host: TestHost, body: unknown, as = host.admin.key): Promise<Answer> =>
  host.call('POST /v1/risk/reference/refresh', { as, body })

/** Publishes a document for every source of a set, by default the small ones, and imports the set. */
export async function loadSet(
  host: TestHost,
  set: string,
  documents: Record<string, Published> = {},
): Promise<Answer['body']> {
  for (const source of sourcesOf(set)) publish(host, source, documents[source] ?? (small[source] as string))
  const answer = await refresh(host, { set })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Advances the host's clock a second every few milliseconds until the answer arrives, to skip the backoff of
 *  retries. */
export async function settled<T>(host: Pick<TestHost, 'clock'>, answer: Promise<T>): Promise<T> {
  let isSettled = false
  const onSettled = () => {
    isSettled = true
  }
  answer.then(onSettled, onSettled)
  while (!isSettled) {
    host.clock.advance(1_000)
    await wait(10)
  }
  return answer
}

/** The calls that tests of overrides and look-ups make, by default as the organisation `home`. */
export function riskCalls({ call, home }: TestHost) {
  const ok = (answer: Answer): Answer['body'] => {
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const put = (set: string, entries: unknown, as = home.key) =>
    call(`PUT /v1/risk/reference/${set}`, { as, body: { entries } })
  const clear = (set: string, key: string, as = home.key) =>
    call(`DELETE /v1/risk/reference/${set}?key=${encodeURIComponent(key)}`, { as })
  const get = (set: string, query = '', as = home.key) => call(`GET /v1/risk/reference/${set}${query}`, { as })
  const resolve = (body: unknown, as = home.key) => call('POST /v1/risk/reference/resolve', { as, body })
  return {
    ok,
    put,
    clear,
    get,
    resolve,
    sets: async (as = home.key) => ok(await call('GET /v1/risk/reference', { as })),
    setOf: async (set: string, as = home.key) => ok(await get(set, '', as)).set,
    sourceOf: async (set: string, source: string) =>
      ok(await get(set)).set.sources.find((one: { source: string }) => one.source === source),
    /** Writes one override. */
    writeOverride: async (set: string, verdict: 'allow' | 'deny', key: string, as = home.key, note?: string) =>
      ok(await put(set, [{ key, verdict, ...(note !== undefined && { note }) }], as)),
    /** Looks up one key in one set. */
    lookUp: async (set: string, key: string, as = home.key) =>
      ok(await resolve({ keys: [key], sets: [set] }, as)).answers[0],
  }
}
