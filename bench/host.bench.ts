// The cost of the host: checks, request id, headers, log and metrics, against the same work without them.
import { type Bench, requestBytes } from './harness.ts'
import { ECHO_PATH, ORDER, receiptFor } from './servers/echo.ts'
import { startServer } from './servers/start.ts'

export const bench: Bench = {
  title: 'a small operation through the host, over TLS',
  start: async servers => {
    const host = servers.use(await startServer('host.ts'))
    const fastify = servers.use(await startServer('fastify.ts'))
    const node = servers.use(await startServer('node.ts'))
    const exchange = {
      request: requestBytes('POST', ECHO_PATH, { body: JSON.stringify(ORDER) }),
      answer: Buffer.from(JSON.stringify(receiptFor(ORDER))),
    }
    return {
      subject: { name: 'host', server: host, ...exchange },
      controls: [
        { name: 'bare Fastify', server: fastify, ...exchange, target: 0.9 },
        { name: 'bare node:https', server: node, ...exchange, target: 0.7 },
      ],
    }
  },
}
