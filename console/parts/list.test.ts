// Lists of 10,000 rows in a browser: what is in the document and what scrolling costs is bounded, and no row is left out.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { consoleSuite, NO_CONSOLE, violations, WIDTHS } from '../../test/console.ts'
import { addDeliveries, addKeys, addMembers, keyId, MANY } from '../../test/many-rows.ts'

/** In the document at once, whatever the length of the list. */
const ROWS_MAX = 300
const REQUESTS_MAX = 1 + MANY / 200 + 5

const SCROLLER = `document.querySelector('.body, .split > div')`

type Seen = { ids: string[]; rowsMax: number; disorder: string[]; gaps: number }

/** Scrolls to the end in steps of almost a viewport, as a person pages, and loads what follows. Returns each row once. */
async function scrollThrough(page: Page): Promise<Seen> {
  // Without a display the browser may stop making frames; a picture needs one.
  const frames = setInterval(
    () => void page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } }).catch(() => {}),
    500,
  )
  const seen = await page.evaluate<Seen>(`(async () => {
    const scroller = ${SCROLLER}
    const seen = new Map()
    const disorder = []
    let [rowsMax, gaps] = [0, 0]
    const pause = () => new Promise(done => setTimeout(done, 20))
    const view = scroller.getBoundingClientRect()
    const isGap = () => [0.2, 0.5, 0.9].some(share =>
      document.elementFromPoint(view.left + view.width / 2, view.top + view.height * share)?.closest('tr.gap'))
    for (let stuck = 0; stuck < 200; ) {
      const rows = [...document.querySelectorAll('tr[data-row]')]
      rowsMax = Math.max(rowsMax, rows.length)
      let [before, bottom] = [0, -Infinity]
      for (const row of rows) {
        const at = Number(row.ariaRowIndex)
        const id = row.dataset.row
        const place = row.getBoundingClientRect()
        if (at <= before || place.top < bottom - 1) disorder.push(id + ' at ' + at)
        if ((seen.get(at) ?? id) !== id) disorder.push(id + ' and ' + seen.get(at) + ' are both at ' + at)
        seen.set(at, id)
        before = at
        bottom = place.bottom
      }
      if (isGap()) gaps++
      const top = scroller.scrollTop
      scroller.scrollTop += scroller.clientHeight * 0.9
      await pause()
      for (let n = 0; n < 100 && (isGap() || document.querySelector('[aria-busy=true]')); n++) await pause()
      const hasMore = [...document.querySelectorAll('.paging button')].some(one => one.textContent === 'Show more')
      if (scroller.scrollTop !== top) stuck = 0
      else if (hasMore) stuck++
      else break
    }
    return { ids: [...seen.keys()].sort((a, b) => a - b).map(at => seen.get(at)), rowsMax, disorder, gaps }
  })()`)
  clearInterval(frames)
  return seen
}

/** Seconds of the main thread for scrolling over so many pixels. */
async function costOf(page: Page, px: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.reduce((sum, { name, value }) => sum + (BUSY.includes(name) ? value : 0), 0)
  }
  const before = await busy()
  await page.evaluate(`(async () => {
    for (let left = Math.abs(${px}); left > 0; left -= 200) {
      ${SCROLLER}.scrollTop += ${Math.sign(px) * 200}
      await new Promise(done => { requestAnimationFrame(done); setTimeout(done, 250) })
    }
  })()`)
  const cost = (await busy()) - before
  await session.detach()
  return cost
}
const BUSY = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']

async function memoryOf(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return { nodes, megabytes: usedSize / 1024 ** 2 }
}

/** What moved without anybody having done anything, since the page was opened. */
const shiftsOf = (page: Page) =>
  page.evaluate<{ sum: number; of: string[] }>(`new Promise(done => {
    const all = []
    new PerformanceObserver(list => all.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })
    const nameOf = ({ node }) => node?.nodeName + ' ' + (node?.className ?? node?.textContent)
    setTimeout(() => done({
      sum: all.reduce((sum, one) => sum + (one.hadRecentInput ? 0 : one.value), 0),
      of: all.flatMap(one => one.sources.map(nameOf)).slice(0, 5),
    }), 200)
  })`)

const rowOf = (page: Page, index: number) => page.locator(`tr[aria-rowindex="${index + 1}"]`)

describe('a long list', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  async function longList(t: TestContext, kind: 'keys' | 'members' | 'deliveries', options = {}) {
    const world = await startConsole(t)
    let screen: string = kind
    if (kind === 'keys') await addKeys(world)
    if (kind === 'members') await addMembers(world)
    if (kind === 'deliveries') screen = `webhooks/${await addDeliveries(world)}`
    if (kind === 'keys') screen = 'keys?status=all'
    const signed = await world.signIn(world.home, screen, options)
    await rowOf(signed.page, 1).waitFor()
    return { ...world, ...signed }
  }

  const KINDS = [
    ['keys', WIDTHS.desktop],
    ['members', WIDTHS.phone],
    ['deliveries', WIDTHS.desktop],
  ] as const
  for (const [kind, viewport] of KINDS) {
    it(`of ${kind} shows each of 10,000 rows once and in order, ${viewport.width} wide`, async t => {
      const { page, errors } = await longList(t, kind, { viewport })
      let requests = 0
      page.on('request', one => {
        if (/[?&]limit=200/.test(one.url()) && one.url().includes('after=')) requests++
      })
      await page.mouse.wheel(0, 400)
      await page.getByText('Newest 250').waitFor()
      const shifts = await shiftsOf(page)
      const control = await costOf(page, 6_000)
      await page.evaluate(`${SCROLLER}.scrollTo(0, 0)`)
      const before = await memoryOf(page)
      const { ids, rowsMax, disorder, gaps } = await scrollThrough(page)
      assert.deepEqual(disorder, [])
      assert.ok(ids.length >= MANY && ids.length <= MANY + 3, `${ids.length} rows`)
      assert.equal(new Set(ids).size, ids.length)
      assert.equal(gaps, 0, 'a gap was in view')
      assert.ok(rowsMax < ROWS_MAX, `${rowsMax} rows in the document`)
      assert.ok(requests <= REQUESTS_MAX, `${requests} requests`)
      const after = await memoryOf(page)
      assert.ok(after.nodes < 3 * before.nodes + 2_000, `${before.nodes} nodes became ${after.nodes}`)
      assert.ok(after.megabytes < before.megabytes + 60, `${before.megabytes} MB became ${after.megabytes}`)
      const cost = await costOf(page, -6_000)
      t.diagnostic(JSON.stringify({ rowsMax, requests, before, after, control, cost, shifts: shifts.sum }))
      assert.ok(cost < 3 * control + 0.1, `${cost} s at the end, ${control} s at the beginning`)
      assert.ok(shifts.sum < 0.001, JSON.stringify(shifts))
      assert.equal(await page.locator('table').getAttribute('aria-rowcount'), String(ids.length + 1))
      assert.deepEqual(await violations(page), [])
      assert.deepEqual(errors(), [])
    })
  }

  it('goes on with j, k and the arrows beyond what is in the document and what is loaded', async t => {
    const { page, errors } = await longList(t, 'keys')
    await page.keyboard.press('j')
    await page.locator(':focus', { hasText: /^First key$/ }).waitFor()
    for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('k')
    await page.locator(':focus', { hasText: /^Key 2$/ }).waitFor()
    await page.keyboard.press('Enter')
    const drawer = page.locator('.drawer')
    await drawer.getByRole('heading', { name: 'Key 2', exact: true }).waitFor()
    for (let n = 3; n <= 260; n++) {
      await page.keyboard.press('j')
      await drawer.getByRole('heading', { name: `Key ${n}`, exact: true }).waitFor()
    }
    assert.equal(await rowOf(page, 261).getAttribute('aria-selected'), 'true')
    const { y = 0 } = (await rowOf(page, 261).boundingBox()) ?? {}
    assert.ok(y > 0 && y < WIDTHS.desktop.height, 'the open row is in view')
    await page.keyboard.press('Escape')
    assert.equal(await focused(page), 'Key 260')
    assert.deepEqual(errors(), [])
  })

  it('keeps its place and what is open while it grows, and when somebody comes back', async t => {
    const { page, errors } = await longList(t, 'keys')
    await page.mouse.move(700, 500)
    await page.mouse.wheel(0, 600)
    await page.getByText('Newest 250').waitFor()
    await page.evaluate(`${SCROLLER}.scrollTop = 8_000`)
    await page.getByText('Newest 450').waitFor()
    await page.evaluate(`${SCROLLER}.scrollTop = 5_800`)
    await page.getByRole('button', { name: 'Key 150', exact: true }).click()
    await page.locator('.drawer').getByRole('heading', { name: 'Key 150', exact: true }).waitFor()
    const place = () => page.evaluate<number>(`${SCROLLER}.scrollTop`)
    const before = await place()
    assert.ok(before > 4_000)
    await page.locator('.paging [aria-busy=true]').waitFor({ state: 'detached' })
    const loaded = await page.locator('.paging').textContent()
    await page.getByRole('button', { name: 'Show more' }).dispatchEvent('click')
    await page
      .locator('.paging')
      .filter({ hasNotText: loaded ?? '' })
      .waitFor()
    await page.locator('.paging [aria-busy=true]').waitFor({ state: 'detached' })
    const more = (await page.locator('.paging').textContent()) ?? ''
    assert.match(more, /^Newest \d+ keys/)
    assert.equal(await place(), before)
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    assert.equal(await place(), 0)
    await page.goBack()
    await page.locator('.drawer').getByRole('heading', { name: 'Key 150', exact: true }).waitFor()
    assert.equal(await page.locator('.paging').textContent(), more)
    assert.equal(await place(), before)
    await page.goBack()
    await page.locator('.drawer').waitFor({ state: 'detached' })
    assert.equal(await place(), before)
    assert.deepEqual(errors(), [])
  })

  it('finds what an address names in later pages, and says when it is not there', async t => {
    const { page, org, baseUrl } = await longList(t, 'keys')
    const id = keyId(org, 600)
    await page.goto(`${baseUrl}/o/${org}/keys?status=all&open=${id}`)
    await page.locator('.drawer').getByRole('heading', { name: 'Key 600', exact: true }).waitFor()
    await page.goto(`${baseUrl}/o/${org}/keys?status=all&open=key_none`)
    await page.getByText('The key of this address is not in the list.').waitFor()
    const loaded = await page.locator('.paging').textContent()
    assert.match(loaded ?? '', /Newest 1,050 keys/)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('The key of this address').waitFor({ state: 'detached' })
  })

  it('loads nothing that nobody scrolls to', async t => {
    const { page } = await longList(t, 'members', { viewport: { width: 1440, height: 2400 } })
    let requests = 0
    page.on('request', one => one.url().includes('/v1/iam/members') && requests++)
    await page.waitForTimeout(1_000)
    assert.equal(requests, 0)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('Newest 250').waitFor()
    await page.waitForTimeout(1_000)
    assert.equal(requests, 1)
  })

  it('says what failed when a page cannot be loaded, and goes on', async t => {
    const { page } = await longList(t, 'members')
    const fault = { error: { code: 'internal', message: 'Broken.', type: 'api_error', request_id: 'req_7' } }
    await page.route('**/v1/iam/members?*after=*', route => route.fulfill({ status: 500, json: fault }))
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('Broken.').waitFor()
    await page.getByText('req_7').waitFor()
    assert.equal(await rowOf(page, 50).count(), 1)
    await page.unroute('**/v1/iam/members?*after=*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Newest 250').waitFor()
    assert.equal(await page.getByText('Broken.').count(), 0)
  })
})

const focused = (page: Page) => page.evaluate<string>('document.activeElement?.textContent')
