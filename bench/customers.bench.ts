// The cost of a request in an organisation with a million customers against one with a thousand: listings, searches,
// registration and sign-in, in CPU time of the host and PostgreSQL, and of PostgreSQL alone.
import { type Contender, type Finding, findingOf, type OwnBench, requestBytes, runRounds } from './harness.ts'
import { type Ladder, ladderScript, refresh, register, signIn, type Tokens, userInfo } from './ladders.ts'
import { answerOf, bodyOf, type Script, wrong } from './load.ts'
import { COMMON_DOMAIN, createdOf, personOf, RARE_DOMAIN } from './servers/customer-fill.ts'
import type { Customers } from './servers/serve.ts'
import { type BenchServer, startServer } from './servers/start.ts'

const [FEW, MANY] = [1_000, 1_000_000]
/** At most 1.3 times the cost. */
const TARGET = 0.77
const READS = { requests: 300, warmUp: 2, counted: 6 }
/** Each is up to eight requests. */
const LADDERS = { requests: 64, warmUp: 3, counted: 6 }
const LIMIT = 'limit=10'

export const customers: OwnBench = {
  measure: async () => {
    await using servers = new AsyncDisposableStack()
    const [few, many] = [
      servers.use(await startServer('customers.ts', { args: [String(FEW)] })),
      servers.use(await startServer('customers.ts', { args: [String(MANY)] })),
    ]
    const findings: Finding[] = []
    for (const [title, work] of Object.entries({ ...reads(), ...writes() })) {
      findings.push(...(await measureOne(title, work, few, many)))
    }
    return findings
  },
}

/** The traffic of a connection to a server; `isSignIn` if it goes to the identity origin. */
type Work = {
  isSignIn?: true
  rounds: typeof READS
  script(customers: Customers, key: string): Script
}

async function measureOne(title: string, work: Work, few: BenchServer, many: BenchServer): Promise<Finding[]> {
  process.stdout.write(`${title}\n`)
  const contenders = [contender('1,000,000 customers', work, many), contender('1,000 customers', work, few)]
  const rounds = await runRounds(contenders, work.rounds)
  const compared = { names: contenders.map(({ name }) => name), subject: 0, control: 1, target: TARGET }
  return [
    findingOf(title, rounds, compared),
    findingOf(`${title}: PostgreSQL`, rounds, { ...compared, of: 'databaseUs' }),
  ]
}

function contender(name: string, work: Work, server: BenchServer): Contender {
  const { customers, key = '' } = server
  if (!customers) throw new Error('the server has no customers')
  const port = work.isSignIn ? customers.identityPort : server.port
  // Without TLS, whose cost would hide the rest.
  return { name, server: { ...server, port }, isPlain: true, script: () => work.script(customers, key) }
}

const asAdmin = (key: string) => ({ authorization: `Bearer ${key}`, 'x-forwarded-proto': 'https' })

/** Every page has the same number of customers in both organisations. */
function reads(): Record<string, Work> {
  const get = (pathOf: (customers: Customers) => string): Work => ({
    rounds: READS,
    script: (customers, key) => {
      const path = `/v1/iam/users?${LIMIT}${pathOf(customers)}`
      const request = requestBytes('GET', path, { headers: asAdmin(key) })
      return { request: () => request, isComplete: bytes => bodyOf(bytes) !== null }
    },
  })
  const search = (text: string) => get(() => `&search=${encodeURIComponent(text)}`)
  const after = (key: string) => `&after=${Buffer.from(key).toString('base64url')}`
  return {
    'first page': get(() => ''),
    'page in the middle': get(({ count, now }) =>
      after(`${createdOf(count / 2, count, now)} ${personOf(count / 2).user}`),
    ),
    'blocked ones': get(() => '&blocked=true'),
    'search by a beginning that many have': search('m'),
    'search by the beginning of an address': search('maria.g'),
    'search by an address': search(personOf(FEW / 2).email),
    'search by a word of a name': search('garcia'),
    'search among blocked ones': get(() => '&blocked=true&search=@'),
    'the page of a search after the names': get(() => `&search=maria${after('cus_z maria')}`),
    'search by a domain that many have': search(`@${COMMON_DOMAIN}`),
    'a page in the middle of that search': get(
      ({ count }) => `&search=@${COMMON_DOMAIN}${after(`${personOf(count / 2).user} @${COMMON_DOMAIN}`)}`,
    ),
    'search by a domain that few have': search(`@${RARE_DOMAIN}`),
    'search by id': search(personOf(FEW / 2).user),
    'search without a match': search('zzyzx'),
  }
}

let created = 0
/** An address that has no account yet. */
const newAddress = () => `new.${(++created * 7_919) % 1_000_003}@${COMMON_DOMAIN}`

/** Customers in turn, spread over all of them, and none that is blocked. */
function someone({ count }: Customers): string {
  const at = (++created * 7_919) % count
  return personOf(personOf(at).isBlocked ? at - 1 : at).email
}

function writes(): Record<string, Work> {
  const ladders = (next: (customers: Customers) => Ladder<unknown>): Work => ({
    isSignIn: true,
    rounds: LADDERS,
    script: customers => ladderScript(() => next(customers)),
  })
  return {
    registration: ladders(customers => register(customers, newAddress(), 'Maria Garcia')),
    'sign-in with a password': ladders(customers => signIn(customers, someone(customers))),
    refresh: { isSignIn: true, rounds: READS, script: customers => ladderScript(refreshing(customers)) },
    UserInfo: { isSignIn: true, rounds: READS, script: customers => ladderScript(asking(customers)) },
    'creation by an admin': { rounds: READS, script: (_customers, key) => creating(key) },
  }
}

/** Signs in once, in the rounds that are not counted, and goes on with those tokens. */
function onceSignedIn(customers: Customers, next: (tokens: Tokens) => Ladder<Tokens>): () => Ladder<void> {
  let tokens: Tokens | null = null
  return function* () {
    tokens = tokens ? yield* next(tokens) : yield* signIn(customers, someone(customers))
  }
}

const refreshing = (customers: Customers) =>
  onceSignedIn(customers, ({ refresh_token }) => refresh(customers, refresh_token))

const asking = (customers: Customers) =>
  onceSignedIn(customers, function* (tokens) {
    yield* userInfo(tokens.access_token)
    return tokens
  })

const CREATED = 'HTTP/1.1 201 '

function creating(key: string): Script {
  return {
    request: () => {
      const body = JSON.stringify({ email: newAddress(), name: 'Maria Garcia', metadata: { plan: 'pro' } })
      return requestBytes('POST', '/v1/iam/users', { body, headers: asAdmin(key) })
    },
    isComplete: bytes => {
      const answer = answerOf(bytes)
      if (answer && !answer.head.startsWith(CREATED)) throw wrong(bytes)
      return answer !== null
    },
  }
}
