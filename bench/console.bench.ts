// How fast the console appears: Home of an organisation, without a cache, on a processor four times as slow, beside the sign-in
// page of the same host, which has no script. And that nothing moves while it appears.
import { type BrowserContext, chromium } from 'playwright-core'
import { CHROMIUM } from '../test/client/chromium.ts'
import { NO_CONSOLE } from '../test/console.ts'
import { firstRunOf, freshDirectory, start, up } from '../test/process.ts'
import type { Finding, OwnBench } from './harness.ts'

const ROUNDS = 12
const SLOWER = 4
/** Home, with its requests, takes at most four times as long as a page of plain HTML. */
const TARGET = 0.25

type Load = { paintMs: number; blockedMs: number; shift: number }

/** Long tasks count with what they have beyond 50 ms, as in the usual measure of blocking. */
const OBSERVER = `
  window.seen = { paintMs: 0, blockedMs: 0, shift: 0 }
  new PerformanceObserver(list => list.getEntries().forEach(one => { seen.blockedMs += Math.max(0, one.duration - 50) }))
    .observe({ type: 'longtask', buffered: true })
  new PerformanceObserver(list => list.getEntries().forEach(one => { seen.shift += one.value }))
    .observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver(list => list.getEntries().forEach(one => {
    if (one.name === 'first-contentful-paint') seen.paintMs = one.startTime
  })).observe({ type: 'paint', buffered: true })`

async function load(context: BrowserContext, url: string, shown: string): Promise<Load> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  await page.addInitScript(OBSERVER)
  await page.goto(url)
  await page.getByRole('heading', { name: shown }).waitFor()
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate<Load>('window.seen')
  await page.close()
  return seen
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
const quartiles = (values: number[]) => {
  const at = (share: number) => values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] as number
  return { q1: at(0.25), median: at(0.5), q3: at(0.75) }
}

export const firstPaint: OwnBench = {
  measure: async () => {
    if (NO_CONSOLE) throw new Error(`no console to measure: ${NO_CONSOLE}`)
    await using ends = new AsyncDisposableStack()
    const data = freshDirectory({ after: end => ends.defer(end as () => Promise<void>) })
    const baseUrl = await up(start({ STOA_DATA: data, STOA_CONSOLE: 'built', STOA_AI_LOCAL: 'off' }))
    const browser = await chromium.launch({
      executablePath: CHROMIUM as string,
      args: ['--no-sandbox', '--ignore-certificate-errors'],
    })
    ends.defer(() => browser.close())
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    const { email, password } = firstRunOf(data).home
    await page.goto(`${baseUrl}/`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Set up Home' }).waitFor()
    const signIn = await browser.newContext()
    const homes: Load[] = []
    const controls: Load[] = []
    for (let round = 0; round < ROUNDS; round++) {
      homes.push(await load(context, `${baseUrl}/o/home/home`, 'Set up Home'))
      controls.push(await load(signIn, `${baseUrl}/v1/account/login`, 'Sign in'))
    }
    const counted = homes.slice(2)
    const shift = Math.max(...counted.map(one => one.shift))
    process.stdout.write(
      `Home: first contentful paint ${median(counted.map(one => one.paintMs)).toFixed(0)} ms, blocked ${median(counted.map(one => one.blockedMs)).toFixed(0)} ms, layout shift ${shift}, on a processor ${SLOWER} times as slow\n`,
    )
    const ratios = quartiles(counted.map((one, n) => (controls[n + 2] as Load).paintMs / one.paintMs))
    const found: Finding = {
      title: 'first contentful paint of the console, against the sign-in page',
      subject: { name: 'Home', cpuUs: median(counted.map(one => one.paintMs)) },
      control: { name: 'sign-in page', cpuUs: median(controls.slice(2).map(one => one.paintMs)) },
      cpu: ratios,
      wall: ratios,
      target: TARGET,
      met: ratios.median >= TARGET && shift === 0,
      unit: 'ms',
    }
    return [found]
  },
}
