import type { BlockList } from 'node:net'
import type { Random } from '../../src/engines/engines.ts'
import { CONNECTION_LIMITS, openConnections } from '../../src/host/connections.ts'
import { openListener } from '../../src/host/listener.ts'
import type { Log } from '../../src/host/log.ts'
import { openRefusals } from '../../src/host/refusals.ts'
import { requestIds } from '../../src/host/server.ts'

/** A listener on any free port, with what the rest of its server needs to know of it. */
export async function openBenchListener(random: Random, pem: string, log: Log, trusted: BlockList | null = null) {
  const requestId = requestIds(random, 'req')
  const refusals = openRefusals(log)
  const connections = openConnections(CONNECTION_LIMITS, trusted, refusals)
  const address = { host: '127.0.0.1', port: 0 }
  const tls = { key: pem, cert: pem }
  const listener = await openListener({ tls, trusted, requestId, address, connections, refusals })
  return { listener, requestId, refusals, connections, trusted }
}
