// The rows that a listing examines do not grow with the number of rows, neither those of the organisation nor those of
// others.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OrgId } from '../src/kit/caller.ts'
import type { Operation } from '../src/kit/operation.ts'
import { services } from '../src/services/index.ts'
import { startHost, type TestHost } from './host.ts'
import { fillOrg, LISTINGS, type Listing, pathOf } from './listings.ts'
import { examinedOf, type PlanMode, recording, type Statement } from './recorder.ts'

const [FEW, MANY] = [100, 2_400]
/** A page has ten rows. Most are read with one more; the active keys are all read. */
const ROWS_MAX = 120
/** The active keys are on almost as many. */
const PAGES_MAX = 90

async function filledHost() {
  let statements: Statement[] = []
  const host = await startHost({
    wrapDb: db => {
      const recorded = recording(db)
      statements = recorded.statements
      return recorded.db
    },
  })
  const now = host.clock.now().toISOString()
  const busy = await filledOrg(host, 'busy', MANY, now)
  const quiet = await filledOrg(host, 'quiet', FEW, now)
  await host.db.script('analyze')
  return { host, busy, quiet, now, statements }
}

async function filledOrg(host: TestHost, slug: string, count: number, now: string) {
  const { org, user, key } = await host.organisation(slug)
  const member = await host.member(org as OrgId, 'member')
  await fillOrg(host.db, { org, owner: user, member: member.user }, count, now)
  const keys = { owner: { as: key }, member: { as: member.key }, superadmin: { as: host.admin.key } }
  return { org, owner: user, member: member.user, callers: { ...keys, 'signed in': await host.browser(member) } }
}

type FilledHost = Awaited<ReturnType<typeof filledHost>>

/** What is read for the first page and for the next one, whichever is more. */
async function examined(at: FilledHost, org: FilledHost['busy'], listing: Listing, mode: PlanMode) {
  const path = pathOf(listing, org, at.now)
  const caller = org.callers[listing.as]
  const first = await at.host.call(`GET ${path}`, caller)
  assert.equal(first.status, 200, first.text)
  const most = { rows: 0, pages: 0 }
  for (const after of listing.isPaged ? ['', first.body.next] : [null]) {
    at.statements.length = 0
    await at.host.call(`GET ${path}${after === null ? '' : `&after=${encodeURIComponent(after)}`}`, caller)
    const statements = at.statements.splice(0)
    assert.ok(statements.length > 0)
    const read = await Promise.all(statements.map(one => examinedOf(at.host.db, one, mode)))
    for (const what of ['rows', 'pages'] as const) {
      const sum = read.reduce((before, one) => before + one[what], 0)
      most[what] = Math.max(most[what], sum)
    }
  }
  return most
}

const host = await filledHost()

async function pageOf(path: string, as: Listing['as']) {
  const { body } = await host.host.call(`GET ${path}`, host.busy.callers[as])
  return { rows: body.data ?? body.overrides ?? body.usage, next: body.next }
}

/** Kept mail is in files; its pages are tested beside it. */
const NOT_IN_TABLES = ['/v1/o11y/mail']

describe('listings', () => {
  const isListing = ({ answer, path }: Operation) =>
    'next' in ((answer.value as { properties?: object })?.properties ?? {}) && !NOT_IN_TABLES.includes(path)
  const all = services.flatMap(({ operations }) => Object.values(operations)).filter(isListing)
  const linesOf = ({ path }: Operation) => {
    const pattern = new RegExp(`^${path.replace(/[{]\w+[}]/g, '[^/?]+')}[?]`)
    return LISTINGS.filter(one => pattern.test(one.path))
  }

  it('are all measured', () => {
    assert.ok(all.length > 10)
    const missing = all.filter(one => linesOf(one).length === 0).map(({ path }) => path)
    assert.deepEqual(missing, [], 'add a line for each of these to LISTINGS in test/listings.ts')
  })

  it('have rows to be measured with', async () => {
    for (const one of all) {
      const pages = await Promise.all(linesOf(one).map(line => pageOf(pathOf(line, host.busy, host.now), line.as)))
      const isFilled = pages.some(({ rows }) => rows.length > 0)
      assert.ok(isFilled, `${one.path} lists nothing: add a statement for its table to fillOrg in test/listings.ts`)
    }
  })
})

describe('the rows that a listing examines do not grow', () => {
  for (const listing of LISTINGS) {
    it(listing.name, async () => {
      for (const mode of ['force_generic_plan', 'force_custom_plan'] as const) {
        for (const org of [host.busy, host.quiet]) {
          const { rows, pages } = await examined(host, org, listing, mode)
          const what = `${listing.name} of ${org.org}, ${mode}: ${rows} rows, ${pages} pages`
          assert.ok(rows <= ROWS_MAX && pages <= PAGES_MAX, what)
        }
      }
    })
  }
})

describe('the pages of a listing follow each other', () => {
  for (const listing of LISTINGS.filter(({ isPaged }) => isPaged)) {
    it(listing.name, async () => {
      const path = pathOf(listing, host.busy, host.now)
      const get = (one: string) => pageOf(one, listing.as)
      const twice = await get(path.replace('limit=10', 'limit=20'))
      const first = await get(path)
      const second = first.next === '' ? { rows: [] } : await get(`${path}&after=${first.next}`)
      assert.deepEqual([...first.rows, ...second.rows], twice.rows)
    })
  }
})
