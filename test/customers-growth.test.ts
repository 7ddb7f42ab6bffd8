// The rows that registration and sign-in of a customer examine do not grow with the number of customers.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database } from '../src/engines/engines.ts'
import { customersOf, PASSWORD } from './customers.ts'
import { type Examined, examining } from './examined.ts'
import { startHost } from './host.ts'
import { registerApp, startIdentity } from './identity.ts'
import { fillCustomers } from './listings.ts'

const [FEW, MANY] = [200, 20_000]

let transactions: Examined[] = []
const wrapDb = (db: Database) => {
  const examined = examining(db, '^(customer|oidc)')
  transactions = examined.transactions
  return examined.db
}
const host = await startHost({ wrapDb, now: 'real' })
const identity = await startIdentity(host)
const { home } = host
const app = await registerApp(host, identity, { app: 'a0', more: { people: 'users', signUp: 'open' } })
const customers = customersOf(host, identity, app)
let created = 0

const signIn = async (email: string) => {
  const opened = await customers.open()
  const back = await opened.browser.submit(opened.page, { email, password: PASSWORD })
  return customers.redeem(opened, back.url)
}

/** Each is given the address of a customer. */
const WORK: Record<string, (email: string) => Promise<unknown>> = {
  registration: () => customers.register(),
  'sign-in with a password': signIn,
  'sign-in with a code': email => customers.byCode('code', email),
  'creation by an admin': async () => {
    const body = { email: `created${++created}@example.com`, name: 'Ada Lovelace' }
    assert.equal((await host.call('POST /v1/iam/users', { as: home.key, body })).status, 201)
  },
}

/** The rows that the work's transactions examine. */
type Read = { rows: number; transactions: string[] }

/** The examined rows of customers and sign-ins. The first run also reads values that are cached afterwards. */
async function examinedBy(work: () => Promise<unknown>): Promise<Read> {
  await work()
  transactions.length = 0
  await work()
  const seen = transactions.splice(0).filter(({ rows }) => rows > 0)
  assert.ok(seen.length > 0)
  return {
    rows: seen.reduce((sum, { rows }) => sum + rows, 0),
    transactions: seen.map(({ rows, first }) => `${rows} rows: ${first}`),
  }
}

async function allExamined(): Promise<Record<string, Read>> {
  const all: Record<string, Read> = {}
  const { email } = await customers.register()
  for (const [name, work] of Object.entries(WORK)) all[name] = await examinedBy(() => work(email))
  return all
}

async function fill(count: number): Promise<void> {
  await host.db`delete from customers where id like ${`cus_${home.org}%`}`
  await host.db`delete from customer_terms where customer like ${`cus_${home.org}%`}`
  await host.db`delete from oidc where user_id like ${`cus_${home.org}%`}`
  await fillCustomers(host.db, home.org, count, host.clock.now().toISOString())
  await host.db.script('vacuum analyze')
}

await fill(FEW)
const few = await allExamined()
await fill(MANY)
const many = await allExamined()

// Not equal: an index may still have an entry of a row that was deleted.
describe(`among ${MANY} customers at most 1.3 times as many rows are examined as among ${FEW} by`, () => {
  for (const name of Object.keys(WORK)) {
    it(name, () => {
      const [before, now] = [few[name] as Read, many[name] as Read]
      const what = `${now.rows} rows instead of ${before.rows}:\n${now.transactions.join('\n')}`
      assert.ok(now.rows <= 1.3 * before.rows, what)
    })
  }
})
