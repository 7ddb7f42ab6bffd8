// What an organisation is shown of its journal, through the real host: summaries, CSV, the journal, the currency.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { env } from '../../../../test/database.ts'
import { startHost } from '../../../../test/host.ts'
import { specimen } from '../../../../test/specimen.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { services } from '../../index.ts'
import { billing } from '../service.ts'

const all = [...services, specimen]
const host = await startHost({ services: all, now: '2026-11-15T20:10:00.000Z' })
const CENT = 1_000_000

const get = (path: string, as: string, headers: Record<string, string> = {}) =>
  host.call(`GET /v1/billing/${path}`, { as, headers })
const spend = async (as: string, units: number, model: string, project?: string) => {
  const headers: Record<string, string> = project === undefined ? {} : { 'x-project-id': project }
  const { status } = await host.call('POST /v1/specimen/spend', { as, headers, body: { units, model } })
  assert.equal(status, 204)
}
const credit = (org: string, amount: number) =>
  host.call('POST /v1/billing/credits', { as: host.admin.key, body: { org, amount, reason: 'Paid' } })

let made = 0
const newOrg = () => host.organisation(`reported-${made++}`)

type Group = Record<string, string | number>
async function pagesOf(path: string, as: string): Promise<Group[]> {
  const found: Group[] = []
  for (let after = ''; ; ) {
    const { body } = await get(`${path}&after=${after}`, as)
    found.push(...body.data)
    if (body.next === '') return found
    after = body.next
  }
}

/** Two keys, a project, three models, over two days. */
async function busyOrg() {
  const { org, key } = await newOrg()
  await host.call('POST /v1/projects', { as: key, body: { slug: 'shop', name: 'Shop' } })
  const second = (await host.call('POST /v1/account/keys', { as: key, body: { name: 'Second' } })).body
  const from = host.clock.now().getTime()
  for (let n = 0; n < 30; n++) {
    await spend(n % 3 === 0 ? second.key : key, n * 333_333 + 1, `m${n % 4}`, n % 5 === 0 ? 'shop' : undefined)
    host.clock.advance(17 * 60_000 + 333)
  }
  const at = (minutes: number) => new Date(from + minutes * 60_000).toISOString()
  return { org, key, second, at }
}

describe('the summary of usage', async () => {
  const { key, second, at } = await busyOrg()

  it('has the sums of the rows of usage, however it is grouped and filtered', async () => {
    const filters = [
      ...['', `key=${second.id}`, 'project=shop', 'model=m1', 'product=specimen', 'product=ai', `since=${at(1)}`],
      ...[`until=${at(1)}`, `since=${at(20)}&until=${at(30)}`, `since=${at(20)}&until=${at(400)}&model=m2`],
      ...[`since=${at(400)}&until=${at(20)}`, 'since=2026-11-15T21:00:00Z&until=2026-11-16T00:00:00Z'],
      ...['since=2026-11-16T03:00:00Z&until=2026-11-15T21:20:00Z', `since=${at(0)}&until=${at(0.01)}`],
    ]
    for (const filter of filters) {
      const { usage, count, amount } = (await get(`usage?limit=200&${filter}`, key)).body
      assert.equal(usage.length, count, filter)
      for (const by of ['day', 'key', 'model', 'project', 'product', 'key,model', 'product,project,model,key,day']) {
        const { body } = await get(`usage/summary?limit=200&by=${by}&${filter}`, key)
        assert.deepEqual([body.currency, body.count, body.amount], ['USD', count, amount], `${by} ${filter}`)
        assert.deepEqual(body.data, grouped(usage, by.split(',')), `${by} ${filter}`)
      }
    }
  })

  it('is by day in UTC unless asked otherwise', async () => {
    const { data } = (await get('usage/summary', key)).body
    assert.deepEqual(
      data.map((one: Group) => Object.keys(one)),
      Array.from({ length: 2 }, () => ['day', 'count', 'amount']),
    )
    assert.deepEqual(
      data.map(({ day }: Group) => day),
      ['2026-11-15', '2026-11-16'],
    )
  })

  it('has pages that follow each other, also after a group without a name', async () => {
    for (const by of ['project', 'day,key,model,project', 'product']) {
      const whole = (await get(`usage/summary?limit=200&by=${by}`, key)).body
      for (const limit of [1, 3]) {
        assert.deepEqual(await pagesOf(`usage/summary?by=${by}&limit=${limit}`, key), whole.data, by)
      }
    }
    const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const past = (await get(`usage/summary?after=${cursor([99_999, '', '', '', ''])}`, key)).body
    assert.deepEqual([past.data, past.next, past.count], [[], '', 30])
    for (const forged of [[1], {}, 'x', ['1', '', '', '', ''], [1e300, '', '', '', ''], [0, '', '', '', 5], [0, 0]]) {
      const { status, body } = await get(`usage/summary?after=${cursor(forged)}`, key)
      assert.deepEqual([status, body.error.param], [400, 'after'], JSON.stringify(forged))
    }
  })

  it('refuses to group by anything else', async () => {
    for (const by of ['org', 'day,', 'day,,key', 'day key', 'Day']) {
      const { status, body } = await get(`usage/summary?by=${encodeURIComponent(by)}`, key)
      assert.deepEqual([status, body.error.param], [400, 'by'], by)
    }
  })

  it('is of the own organisation only', async () => {
    const { body } = await get('usage/summary?by=key', (await newOrg()).key)
    assert.deepEqual(body, { currency: 'USD', count: 0, amount: 0, data: [], next: '' })
  })

  it('is CSV if requested, with all groups', async () => {
    const { data } = (await get('usage/summary?limit=200&by=day,model', key)).body
    const lines = data.map(({ day, model, count, amount }: Group) => `${day},${model},${count},${amount},USD`)
    const expected = ['day,model,count,amount,currency', ...lines, ''].join('\r\n')
    const byField = await get('usage/summary?limit=1&by=model,day&format=csv', key)
    const byHeader = await get('usage/summary?limit=1&by=model,day', key, { accept: 'text/csv' })
    for (const { status, text, headers } of [byField, byHeader]) {
      assert.deepEqual([status, text], [200, expected])
      assert.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present')
      assert.equal(headers['content-disposition'], 'attachment; filename="usage.csv"')
    }
  })
})

/** The same from the rows of usage. */
function grouped(usage: { amount: number; createdAt: string; metadata: Record<string, string> }[], by: string[]) {
  const fields = ['day', 'key', 'model', 'project', 'product'].filter(name => by.includes(name))
  const groups = new Map<string, { names: string[]; count: number; units: number }>()
  for (const { amount, createdAt, metadata } of usage) {
    const names = fields.map(name => (name === 'day' ? createdAt.slice(0, 10) : (metadata[name] ?? '')))
    const id = names.join('\0')
    const { count = 0, units = 0 } = groups.get(id) ?? {}
    groups.set(id, { names, count: count + 1, units: units + Math.round(amount * CENT) })
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { names, count, units }]) => ({
      ...Object.fromEntries(fields.map((name, n) => [name, names[n]]).filter(([, value]) => value !== '')),
      ...{ count, amount: units / CENT },
    }))
}

describe('a CSV of usage', () => {
  it('is no formula for a spreadsheet, and exact', async () => {
    const { key } = await newOrg()
    await spend(key, 1, '=HYPERLINK("https://x.example","a,b")')
    await spend(key, 29_999_999, '@m')
    const { text } = await get('usage/summary?by=model&format=csv', key)
    const formula = `"'=HYPERLINK(""https://x.example"",""a,b"")",1,0.000001,USD`
    assert.equal(text, ['model,count,amount,currency', formula, "'@m,1,29.999999,USD", ''].join('\r\n'))
  })

  it('has ten thousand groups at most', async () => {
    const { org, key } = await newOrg()
    const fill = (from: number, to: number) => host.db.autocommit`insert into billing_hours
      select ${org}, '2026-01-01T00:00:00Z'::timestamptz + make_interval(hours => n % 1000), 'p', '', '', 'm' || n, 1, 1
      from generate_series(${from}::int, ${to}::int) as n`
    await fill(1, 10_000)
    const whole = await get('usage/summary?by=model&format=csv', key)
    assert.deepEqual([whole.status, whole.text.split('\r\n').length], [200, 10_002])
    await fill(10_001, 10_001)
    const { status, body } = await get('usage/summary?by=model&format=csv', key)
    assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_input', 'since'])
    const until = '2026-01-02T00:00:00Z'
    assert.equal((await get(`usage/summary?by=model&format=csv&until=${until}`, key)).status, 200)
    assert.equal((await get('usage/summary?by=model', key)).body.count, 10_001)
  })
})

type Transfer = { transactionId: string; from: string; to: string; amount: number }
const sumOf = (transfers: Transfer[]) =>
  transfers.reduce((sum, { from, to, amount }) => {
    const units = Math.round(amount * CENT)
    return sum + (to === 'balance' ? units : 0) - (from === 'balance' ? units : 0)
  }, 0)

async function filledJournal() {
  const { org, key } = await newOrg()
  await host.call('POST /v1/projects', { as: key, body: { slug: 'shop', name: 'Shop' } })
  await credit(org, 500)
  host.clock.advance(1000)
  for (let n = 0; n < 12; n++) {
    await spend(key, n * 1_111_111, 'm', n % 2 === 0 ? 'shop' : undefined)
    if (n % 3 === 0) host.clock.advance(1000)
    if (n === 6) await credit(org, -20)
  }
  return { org, key }
}

describe('the journal', () => {
  it('has every transfer, oldest first, and sums up to the balance', async () => {
    const { key } = await filledJournal()
    const { balance } = (await get('balance', key)).body
    const { body } = await get('journal?limit=200', key)
    assert.deepEqual([body.currency, body.balance, body.data.length, body.next], ['USD', balance, 14, ''])
    assert.equal(sumOf(body.data), Math.round(balance * CENT))
    const times = body.data.map(({ created }: { created: string }) => created)
    assert.deepEqual(times, times.toSorted())
    const [given, used] = body.data
    assert.deepEqual([given.from, given.to, given.amount], ['credits', 'balance', 500])
    assert.deepEqual(given.metadata, { reason: 'Paid' })
    const [own] = (await host.call('GET /v1/account/keys', { as: key })).body.data
    const { from, to, product, model, key: by, project, metadata } = used
    assert.deepEqual([from, to, product, model, by, project], ['balance', 'revenue', 'specimen', 'm', own.id, 'shop'])
    assert.deepEqual(metadata, { units: 0 })
    for (const limit of [1, 5]) assert.deepEqual(await pagesOf(`journal?limit=${limit}`, key), body.data)
  })

  it('is CSV if requested, with the next page in the header Link', async () => {
    const { key } = await filledJournal()
    const { data } = (await get('journal?limit=200', key)).body
    const header = 'transactionId,created,from,to,amount,currency,product,model,key,project,metadata'
    const lines = data.map((one: Record<string, unknown>) => {
      const metadata = `"${JSON.stringify(one.metadata).replaceAll('"', '""')}"`
      const { transactionId, created, from, to, amount, product = '', model = '', key: by = '', project = '' } = one
      return [transactionId, created, from, to, amount, 'USD', product, model, by, project, metadata].join(',')
    })
    const whole = await get('journal', key, { accept: 'text/csv' })
    assert.equal(whole.text, [header, ...lines, ''].join('\r\n'))
    assert.equal(whole.headers.link, undefined)
    const paged: string[] = []
    for (let path: string | undefined = '/v1/billing/journal?format=csv&limit=5'; path; ) {
      const { text, headers } = await host.call(`GET ${path}`, { as: key })
      const [first, ...rest] = text.trimEnd().split('\r\n')
      assert.equal(first, header)
      paged.push(...rest)
      path = headers.link?.match(/^<(.*)>; rel="next"$/)?.[1]
    }
    assert.deepEqual(paged, lines)
  })

  it('is for owners and admins, of their own organisation', async () => {
    const { org, key } = await filledJournal()
    const [member, admin] = [await host.member(org as OrgId, 'member'), await host.member(org as OrgId, 'admin')]
    assert.equal((await get('journal', member.key)).status, 403)
    assert.equal((await get('journal', admin.key)).status, 200)
    const other = (await get('journal', (await newOrg()).key)).body
    assert.deepEqual(other, { currency: 'USD', balance: 0, data: [], next: '' })
    const forged = Buffer.from('2026-02-30T09:30:00.000Z txn_1').toString('base64url')
    assert.equal((await get(`journal?after=${forged}`, key)).status, 400)
  })
})

describe('the script in the guide', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/billing.md'), 'utf8')
  const script = guide.match(/^```js\n(.*?)^```$/ms)?.[1] ?? ''
  const run = async (key: string) => {
    const own = { STOA_URL: host.baseUrl, STOA_KEY: key, NODE_EXTRA_CA_CERTS: join(env('STOA_TEST_TLS'), 'ca.pem') }
    const flags = ['--input-type=module', '--eval', script]
    return (await promisify(execFile)(process.execPath, flags, { env: { ...process.env, ...own } })).stdout.trim()
  }

  it('sums the journal up to the balance', async () => {
    const { key } = await filledJournal()
    const { balance } = (await get('balance', key)).body
    assert.equal(await run(key), `14 transfers are ${balance} USD cents; the balance is now ${balance}`)
  })

  it('does so while calls are settled', async () => {
    const { key } = await newOrg()
    await spend(key, 1, 'm')
    let isOver = false
    const client = async () => {
      while (!isOver) {
        await spend(key, 1_000_001, 'm')
        host.clock.advance(1)
      }
    }
    const clients = Promise.all(Array.from({ length: 4 }, client))
    const said = await run(key).finally(() => {
      isOver = true
    })
    await clients
    assert.match(said, /^\d+ transfers are -\d+\.\d+ USD cents/)
  })
})

describe('the currency', () => {
  it('is named wherever there are amounts', async t => {
    const own = await startHost({ services: all, settings: { STOA_CURRENCY: 'EUR' } }, t)
    const body = { org: own.home.org, amount: 5, reason: 'Paid' }
    const added = await own.call('POST /v1/billing/credits', { as: own.admin.key, body })
    assert.equal(added.body.currency, 'EUR')
    const ask = async (path: string) => (await own.call(`GET /v1/billing/${path}`)).body
    for (const path of ['balance', 'usage', 'usage/summary', 'journal']) assert.equal((await ask(path)).currency, 'EUR')
    assert.equal((await ask('credits')).data[0].currency, 'EUR')
  })

  it('is three upper-case letters', () => {
    const { fallback, read } = billing.settings.STOA_CURRENCY as NonNullable<(typeof billing.settings)[string]>
    assert.equal(read(fallback), 'USD')
    assert.equal(read('CHF'), 'CHF')
    for (const text of ['', 'usd', 'US', 'USDT', 'U$D', 'USD\n']) assert.throws(() => read(text), /upper-case/)
  })
})
