// The newest errors of an organisation with ten million events, by time.
import { type Finding, findingOf, type OwnBench, type Round, requestBytes } from './harness.ts'
import { bodyOf, openLoad } from './load.ts'
import { startServer } from './servers/start.ts'

const EVENTS = 10_000_000
const TARGET_MS = 20
const [WARM_UP, ROUNDS, REQUESTS] = [20, 10, 20]

export const newest: OwnBench = {
  measure: async (): Promise<Finding[]> => {
    const title = `the newest 50 errors among ${EVENTS} events, against ${TARGET_MS} ms, by time`
    process.stdout.write(`${title}\n`)
    await using servers = new AsyncDisposableStack()
    const server = servers.use(await startServer('errors.ts', { args: [String(EVENTS)] }))
    const request = requestBytes('GET', '/v1/errors', { headers: { authorization: `Bearer ${server.key}` } })
    const script = () => ({ request: () => request, isComplete: (bytes: Buffer) => bodyOf(bytes) !== null })
    // One at a time, as for a waiting person.
    const load = await openLoad({ ...server, connections: 1, script })
    await load.burst(WARM_UP)
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const seconds = (await load.burst(REQUESTS)) / REQUESTS
      process.stdout.write(`  ${(seconds * 1000).toFixed(2)} ms\n`)
      rounds.push([sampleOf(seconds), sampleOf(TARGET_MS / 1000)])
    }
    load.close()
    return [findingOf(title, rounds, { names: ['errors', `${TARGET_MS} ms`], subject: 0, control: 1, target: 1 })]
  },
}

const sampleOf = (seconds: number) => ({ perSecond: 1 / seconds, cpuUs: seconds * 1_000_000 })
