// The cost of every listing with 100,000 rows against 100, in PostgreSQL's CPU time: for an organisation that has half of
// the rows, and for one that has few of them.
import { LISTINGS, type Listing, pathOf } from '../test/listings.ts'
import { type Contender, type Finding, findingOf, type OwnBench, requestBytes, runRounds } from './harness.ts'
import { bodyOf } from './load.ts'
import { type BenchServer, startServer } from './servers/start.ts'

/** Rows of one organisation; another one has as many. */
const [FEW, MANY] = [100, 50_000]
/** At most 1.3 times the cost. */
const TARGET = 0.77
/** Two servers are started once for all listings, and only their plans have to warm up: PostgreSQL settles on one after
 *  five executions on each connection. */
const ROUNDS = { requests: 300, warmUp: 1, counted: 6 }

export const growth: OwnBench = {
  measure: async () => {
    await using servers = new AsyncDisposableStack()
    const [few, many] = [
      servers.use(await startServer('growth.ts', { args: [String(FEW)] })),
      servers.use(await startServer('growth.ts', { args: [String(MANY)] })),
    ]
    const findings: Finding[] = []
    for (const listing of LISTINGS) findings.push(...(await measureListing(listing, few, many)))
    return findings
  },
}

async function measureListing(listing: Listing, few: BenchServer, many: BenchServer): Promise<Finding[]> {
  const contenders = [
    contender('half are own', listing, many, 'busy'),
    contender('few are own', listing, many, 'quiet'),
    contender(`${FEW} rows`, listing, few, 'busy'),
  ]
  const rounds = await runRounds(contenders, ROUNDS)
  const names = contenders.map(({ name }) => name)
  return [0, 1].map(at =>
    findingOf(`listing: ${listing.name}`, rounds, { names, subject: at, control: 2, target: TARGET }),
  )
}

function contender(name: string, listing: Listing, server: BenchServer, which: 'busy' | 'quiet'): Contender {
  if (!server.growth) throw new Error('the server has no listings')
  const { now, [which]: org } = server.growth
  const request = requestBytes('GET', pathOf(listing, org, now), { headers: org.callers[listing.as] })
  // The answer is not compared: the time of a key's last use is in it.
  const script = () => ({ request: () => request, isComplete: (bytes: Buffer) => bodyOf(bytes) !== null })
  return { name, server, script }
}
