// What a credential costs: the same operation with a key and without, in one process, with 100,000 keys in its table.
import { type Bench, requestBytes } from './harness.ts'
import { READ_ANSWER, READ_PATHS, READ_QUERY } from './servers/operations.ts'
import { type BenchServer, startServer } from './servers/start.ts'

export const limited = againstPublic('bearer with limits and rate', server => server.limitedKey)
export const unlimited = againstPublic('bearer', server => server.key)

function againstPublic(name: string, keyOf: (server: BenchServer) => string | undefined): Bench {
  return {
    promise: `${name} against public`,
    start: async servers => {
      const server = servers.use(await startServer('host.ts'))
      const answer = Buffer.from(JSON.stringify(READ_ANSWER))
      const headers = { authorization: `Bearer ${keyOf(server)}` }
      const bearer = requestBytes('GET', READ_PATHS.bearer + READ_QUERY, { headers })
      const open = requestBytes('GET', READ_PATHS.public + READ_QUERY)
      return {
        subject: { name, server, request: bearer, answer },
        controls: [{ name: 'public', server, request: open, answer, target: 0.9 }],
      }
    },
  }
}
