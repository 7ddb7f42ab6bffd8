// What a credential costs: the same operation with a key and without, in one process.
import { type Bench, requestBytes } from './harness.ts'
import { READ_ANSWER, READ_PATHS, READ_QUERY } from './servers/operations.ts'
import { startServer } from './servers/start.ts'

export const bench: Bench = {
  promise: 'bearer against public',
  start: async servers => {
    const server = servers.use(await startServer('host.ts'))
    const answer = Buffer.from(JSON.stringify(READ_ANSWER))
    const headers = { authorization: `Bearer ${server.key}` }
    const bearer = requestBytes('GET', READ_PATHS.bearer + READ_QUERY, { headers })
    const open = requestBytes('GET', READ_PATHS.public + READ_QUERY)
    return {
      subject: { name: 'bearer', server, request: bearer, answer },
      controls: [{ name: 'public', server, request: open, answer, target: 0.9 }],
    }
  },
}
