// The cost of a credential: the same operation with a key and without, in one process, among 100,000 keys.
import { type Bench, requestBytes } from './harness.ts'
import { READ_ANSWER, READ_PATHS, READ_QUERY } from './servers/operations.ts'
import { type BenchServer, startServer } from './servers/start.ts'

export const limited = bearerBench('bearer with limits and rate', server => server.limitedKey)
export const unlimited = bearerBench('bearer', server => server.key)

function bearerBench(name: string, keyOf: (server: BenchServer) => string | undefined): Bench {
  return {
    title: `${name} against public`,
    start: async servers => {
      const server = servers.use(await startServer('host.ts'))
      const answer = Buffer.from(JSON.stringify(READ_ANSWER))
      const headers = { authorization: `Bearer ${keyOf(server)}` }
      const bearerRead = requestBytes('GET', READ_PATHS.bearer + READ_QUERY, { headers })
      const publicRead = requestBytes('GET', READ_PATHS.public + READ_QUERY)
      return {
        subject: { name, server, request: bearerRead, answer },
        controls: [{ name: 'public', server, request: publicRead, answer, target: 0.9 }],
      }
    },
  }
}
