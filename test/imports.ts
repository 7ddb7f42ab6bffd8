// A host whose organisations import customers, and an app at which these sign in.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { eventually } from './eventually.ts'
import { type Answer, startHost, type TestHost, type TestOptions } from './host.ts'
import { registerApp, startIdentity } from './identity.ts'

export type ImportReport = Answer['body']

/** In real time, so that what is due later comes by itself. */
export async function startImports(options: TestOptions = {}) {
  const host = await startHost({ now: 'real', runsBackground: true, ...options })
  const ticking = setInterval(() => host.clock.advance(0), 10)
  after(() => clearInterval(ticking))
  const identity = await startIdentity(host, { audience: host.baseUrl })
  const shop = await registerApp(host, identity, { app: 'shop', more: { people: 'users', signUp: 'closed' } })
  return { host, identity, shop, ...importing(host) }
}

export function importing(host: TestHost) {
  const request = (users: unknown[], more: object = {}, as = host.home.key) =>
    host.call('POST /v1/iam/users/import', { as, body: { users, ...more } })
  const read = (id: string, as = host.home.key) => host.call(`GET /v1/iam/users/imports/${id}`, { as })
  const finished = async (id: string, as?: string): Promise<ImportReport> =>
    (
      await eventually(
        () => read(id, as),
        ({ body }) => body.status === 'done',
      )
    ).body
  /** Imports records, and returns the report. */
  async function run(users: unknown[], more: object = {}, as?: string): Promise<ImportReport> {
    const { status, body, text } = await request(users, more, as)
    assert.equal(status, 202, text)
    return finished(body.id, as)
  }
  return { request, read, finished, run }
}
