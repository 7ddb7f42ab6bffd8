// Tests for every warehouse engine. Each implementation's test passes a function that opens it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database, ErrorPath, ErrorRow, EventRow, Tx, Warehouse } from '../../src/engines/engines.ts'

export type OpenedWarehouse = {
  warehouse: Warehouse
  db: Database
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Waits until appended events can be read, for engines that are updated after the commit. */
  settle(): Promise<void>
}

const START_MS = Date.parse('2026-11-15T09:00:00.000Z')
const at = (ms: number) => new Date(START_MS + ms).toISOString()
const PATHS: ErrorPath[] = [
  { path: 'exception/message', charactersMax: 100, charactersMaxIfOmitted: 20 },
  { path: 'exception/cause', charactersMax: 100, charactersMaxIfOmitted: 20 },
  { path: 'url', charactersMax: 2_000, charactersMaxIfOmitted: 2_000 },
]
/** More than an engine parses, or returns for many rows. */
const LONG = 20_000
const times = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n))

type Given = Partial<Omit<EventRow, 'properties'>> & { properties?: object }

export function warehouseConforms(name: string, open: () => Promise<OpenedWarehouse>): void {
  describe(`a warehouse: ${name}`, async () => {
    const opened = await open()
    const world = worldOf(opened)
    appending(world)
    newestErrors(world)
    longProperties(world)
    deleting(world)
    maintaining(world)
  })
}

type World = ReturnType<typeof worldOf>

function worldOf({ warehouse, db, transaction, settle }: OpenedWarehouse) {
  let count = 0
  const rowOf = ({ properties = {}, ...given }: Given): EventRow => ({
    ...{ received: at(0), timestamp: at(0), isClamped: false, org: 'home', project: null, workspace: null },
    ...{ id: `evt_${String(++count).padStart(6, '0')}`, wire: 'native', event: '$exception' },
    ...{ distinctId: null, anonymousId: null, sessionId: null, revenue: null, currency: null, fingerprint: 'f1' },
    ...{ visitor: 'somebody', join: null, path: null, source: null, campaign: null, country: null },
    ...{ device: null, browser: null, system: null, release: null },
    ...given,
    properties: JSON.stringify(properties),
  })
  const append = async (rows: readonly Given[]) => {
    const stored = rows.map(rowOf)
    await transaction(tx => warehouse.append(tx, stored))
    await settle()
    return stored
  }
  const errorsOf = (org: string, limit = 100, workspace: string | null = null, fingerprint: string | null = null) =>
    warehouse.newestErrors(db, { org, workspace, fingerprint }, limit, PATHS)
  const idsOf = async (...given: Parameters<typeof errorsOf>) => (await errorsOf(...given)).map(({ id }) => id)
  const deleteBefore = async (org: string, before: string, limit: number) => {
    const deleted = await transaction(tx => warehouse.deleteBefore(tx, org, before, limit))
    await settle()
    return deleted
  }
  /** An organisation of its own for each test. */
  const newOrg = () => `org-${++count}`
  return { warehouse, db, transaction, settle, rowOf, append, errorsOf, idsOf, deleteBefore, newOrg }
}

function appending({ warehouse, transaction, settle, rowOf, append, errorsOf, idsOf, newOrg }: World): void {
  it('keeps events appended by a committed transaction, and none of a failed one', async () => {
    const org = newOrg()
    const failing = transaction(async tx => {
      await warehouse.append(tx, [rowOf({ org })])
      throw new Error('on purpose')
    })
    await assert.rejects(failing, /on purpose/)
    await settle()
    assert.deepEqual(await idsOf(org), [])
    const [row] = await append([{ org }])
    assert.deepEqual(await idsOf(org), [row?.id])
  })

  it('appends none, and many at once', async () => {
    const org = newOrg()
    await append([])
    const rows = await append(times(3_000, n => ({ org, timestamp: at(n) })))
    assert.deepEqual(
      await idsOf(org, 3),
      rows
        .slice(-3)
        .reverse()
        .map(({ id }) => id),
    )
  })

  it('keeps an event once that is appended again', async () => {
    const org = newOrg()
    const [first, second] = [rowOf({ org }), rowOf({ org })]
    for (const rows of [[first], [first, second], [second]]) await transaction(tx => warehouse.append(tx, rows))
    await settle()
    assert.deepEqual((await idsOf(org)).toSorted(), [first.id, second.id].toSorted())
  })

  it('returns every field unchanged, whatever it contains', async () => {
    for (const text of ['é中🙂', '\u0001\u001f\u007f', 'a\tb\nc\r', '\\N \\. "quoted" \'single\'', '{},;|$1', 'null']) {
      const org = newOrg()
      const given = { project: text, distinctId: text, sessionId: text, event: `$e${text}`, fingerprint: `f${text}` }
      await append([
        { org, ...given, timestamp: '2026-11-15T09:00:00.123Z', properties: { [`k${text}`]: [text, null] } },
      ])
      const [row] = await errorsOf(org)
      const { project, distinctId, sessionId, event, fingerprint } = row as ErrorRow
      assert.deepEqual({ project, distinctId, sessionId, event, fingerprint }, given)
      assert.equal(row?.timestamp, '2026-11-15T09:00:00.123Z')
      assert.deepEqual(JSON.parse(row?.properties ?? ''), { [`k${text}`]: [text, null] })
    }
  })

  it('returns null for missing values', async () => {
    const org = newOrg()
    await append([{ org, project: null, distinctId: null, sessionId: null }])
    const [{ project, distinctId, sessionId }] = (await errorsOf(org)) as [ErrorRow]
    assert.deepEqual([project, distinctId, sessionId], [null, null, null])
  })

  it('keeps numbers of properties exactly', async () => {
    const [org, properties] = [newOrg(), { a: 0.1, b: 1e300, c: -9_007_199_254_740_991, d: 1e-7 }]
    await append([{ org, properties }])
    assert.deepEqual(JSON.parse((await errorsOf(org))[0]?.properties ?? ''), properties)
  })
}

function newestErrors({ append, idsOf, newOrg }: World): void {
  it('lists errors only, the newest first: by their time, then by arrival, then by id', async () => {
    const org = newOrg()
    const rows = await append([
      { org, timestamp: at(1), received: at(9) },
      { org, timestamp: at(3), received: at(1) },
      { org, timestamp: at(2), received: at(2) },
      { org, timestamp: at(2), received: at(3) },
      { org, timestamp: at(2), received: at(3) },
      { org, timestamp: at(4), fingerprint: null, event: 'page' },
    ])
    const expected = [1, 3, 4, 2, 0].map(n => rows[n]?.id)
    assert.deepEqual(await idsOf(org), expected)
    assert.deepEqual(await idsOf(org, 2), expected.slice(0, 2))
  })

  it('lists the events of one organisation, or of one workspace', async () => {
    const [org, other] = [newOrg(), newOrg()]
    const rows = await append([
      { org, timestamp: at(3) },
      { org, timestamp: at(2), workspace: 'w1' },
      { org, timestamp: at(1), workspace: 'w2' },
      { org: other, workspace: 'w1' },
    ])
    const ids = (...wanted: number[]) => wanted.map(n => rows[n]?.id)
    assert.deepEqual(await idsOf(org), ids(0, 1, 2))
    assert.deepEqual(await idsOf(org, 100, 'w1'), ids(1))
    assert.deepEqual(await idsOf(other), ids(3))
    assert.deepEqual(await idsOf(newOrg()), [])
  })
}

function longProperties({ append, errorsOf, newOrg }: World): void {
  const frame = (n: number) => ({
    function: `f${n}`,
    filename: 'app.js',
    lineno: n,
    colno: 1,
    in_app: true,
    vars: { a: 1 },
  })
  const long = (message: string) => ({
    ...{ exception: { message, cause: { a: 1 } }, url: 'https://shop.example/cart', padding: 'x'.repeat(LONG) },
    $exception_list: [{ stacktrace: { frames: times(60, frame) } }],
  })

  it('returns short properties whole, without an excerpt', async () => {
    const org = newOrg()
    await append([{ org, properties: { exception: { message: 'no' } } }])
    const [{ properties, propertiesBytes, excerpt, frames }] = (await errorsOf(org)) as [ErrorRow]
    assert.deepEqual(JSON.parse(properties ?? ''), { exception: { message: 'no' } })
    assert.deepEqual([excerpt, frames], [null, null])
    assert.ok(propertiesBytes > 20 && propertiesBytes < 100, `${propertiesBytes} bytes`)
  })

  it('returns an excerpt of long ones: a character more of longer texts, and objects empty', async () => {
    const org = newOrg()
    await append([{ org, properties: long('m'.repeat(500)) }])
    const [{ properties, excerpt, frames }] = (await errorsOf(org)) as [ErrorRow]
    assert.deepEqual(JSON.parse(properties ?? ''), long('m'.repeat(500)))
    assert.deepEqual(excerpt, {
      'exception/message': 'm'.repeat(101),
      'exception/cause': {},
      url: 'https://shop.example/cart',
    })
    const { vars: _, ...last } = frame(59)
    assert.deepEqual([frames?.length, frames?.at(-1)], [50, last])
  })

  it('omits the longest properties if all together are too long, and then returns less of them', async () => {
    const org = newOrg()
    const wide = times(120, n => ({ org, timestamp: at(n), properties: long('m'.repeat(500 + n)) }))
    const small = times(20, n => ({ org, timestamp: at(1_000 + n), properties: { exception: { message: `m${n}` } } }))
    await append([...wide, ...small])
    const rows = await errorsOf(org, 200)
    assert.equal(rows.length, 140)
    const omitted = rows.filter(({ properties }) => properties === null)
    const kept = rows.filter(({ properties }) => properties !== null)
    assert.ok(omitted.length > 5 && kept.length > 30, `${omitted.length} are omitted`)
    const largest = Math.max(...kept.map(({ propertiesBytes }) => propertiesBytes))
    assert.ok(omitted.every(({ propertiesBytes }) => propertiesBytes >= largest))
    for (const { excerpt, frames } of omitted) {
      assert.equal(excerpt?.['exception/message'], 'm'.repeat(21))
      assert.ok(frames && frames.length > 0 && frames.length < 50)
    }
  })
}

function deleting({ append, idsOf, deleteBefore, newOrg }: World): void {
  it('deletes events that arrived before a time, oldest first, up to a limit', async () => {
    const [org, other] = [newOrg(), newOrg()]
    const rows = await append([
      ...times(5, n => ({ org, received: at(n * 1_000), timestamp: at(10_000 - n) })),
      { org: other, received: at(0) },
    ])
    const ids = rows.map(({ id }) => id)
    assert.equal(await deleteBefore(org, at(4_000), 3), 3)
    assert.deepEqual(await idsOf(org), ids.slice(3, 5))
    assert.equal(await deleteBefore(org, at(4_000), 3), 1, 'what arrived at that time stays')
    assert.equal(await deleteBefore(org, at(4_000), 3), 0)
    assert.deepEqual([await idsOf(org), await idsOf(other)], [ids.slice(4, 5), ids.slice(5)])
  })

  it('deletes all events, not only errors', async () => {
    const org = newOrg()
    await append([
      { org, fingerprint: null, event: 'page' },
      { org, fingerprint: 'f1' },
    ])
    assert.equal(await deleteBefore(org, at(1), 100), 2)
  })
}

function maintaining({ warehouse, db, transaction, append, idsOf, deleteBefore, newOrg }: World): void {
  const monthMs = 31 * 24 * 3_600_000
  const maintain = (ms: number) => warehouse.maintain(db, transaction, new Date(START_MS + ms))

  it('creates partitions for the coming months, however often it is called', async () => {
    for (const ms of [0, 0, monthMs]) await maintain(ms)
    const org = newOrg()
    const months = [0, 1, 2, 3]
    const rows = await append(months.map(n => ({ org, received: at(n * monthMs), timestamp: at(n * monthMs) })))
    assert.deepEqual(await idsOf(org), rows.map(({ id }) => id).reverse())
  })

  it('also accepts events of times without a partition', async () => {
    const org = newOrg()
    const rows = await append([-600, 0, 600].map(n => ({ org, received: at(n * monthMs), timestamp: at(n * monthMs) })))
    assert.deepEqual(await idsOf(org), rows.map(({ id }) => id).reverse())
    assert.equal(await deleteBefore(org, at(0), 10), 1)
  })
}
