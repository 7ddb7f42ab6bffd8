// What the four kinds of people can open. The screens are those that the services declare, so that a new one is covered.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { consoleSuite, NO_CONSOLE, type World } from '../../test/console.ts'
import { joinAs } from '../../test/invited.ts'

type Service = { entries: { path: string; label: string }[]; screens: { path: string }[] }

/** As in a browser, where the address of the page is that of the host. The screens themselves are loaded only there. */
async function declared(): Promise<Service[]> {
  // An open channel to other tabs would keep this process running.
  const BroadcastChannel = class {}
  Object.assign(globalThis, { location: { origin: 'https://localhost' }, BroadcastChannel })
  const module = await import(new URL('../services/services.ts', import.meta.url).href)
  return module.services
}

type Seen = { url: string; refused: string[]; failed: string[]; trouble: string[]; links: string[] }

const KINDS = ['member', 'admin', 'owner', 'superadmin'] as const

/** Long enough for the requests of a screen and of what these lead to. */
const SETTLED_MS = 700

/** Opens a screen and notes what the host refused, what failed, and where it leads. */
async function see(page: Page, url: string): Promise<Seen> {
  const [refused, failed] = [[] as string[], [] as string[]]
  const onResponse = (one: { status(): number; url(): string; request(): { method(): string } }) => {
    const line = `${one.status()} ${one.request().method()} ${one.url()}`
    if (one.status() === 403) refused.push(line)
    else if (one.status() >= 400) failed.push(line)
  }
  page.on('response', onResponse)
  await page.goto(url)
  await page.locator('main h1').first().waitFor()
  await page.waitForTimeout(SETTLED_MS)
  page.off('response', onResponse)
  const links = await page
    .locator('main a[href]')
    .evaluateAll(all => all.map(one => Reflect.get(one, 'pathname') as string))
  const trouble = await page.locator('main [role="alert"]').allTextContents()
  if (await page.getByRole('heading', { name: 'Only superadmins see this' }).count()) refused.push('only superadmins')
  if (await page.getByRole('heading', { name: 'This page does not exist' }).count()) failed.push('no such page')
  return { url, refused, failed, trouble, links }
}

describe('the screens of the console', { skip: NO_CONSOLE }, () => {
  const startConsole = consoleSuite()

  /** Something in each list that leads to further screens. */
  async function fill({ owner }: World): Promise<void> {
    await owner('POST /v1/projects', { slug: 'shop', name: 'Shop' })
    await owner('POST /v1/webhooks', { url: 'https://hooks.example.com', description: 'Warehouse' })
    await owner('POST /v1/iam/workspaces', { name: 'Partner' })
  }

  async function personOf(kind: (typeof KINDS)[number], world: World) {
    if (kind === 'owner') return { who: world.home, org: world.org }
    if (kind === 'superadmin') return { who: world.superadmin, org: 'admin' }
    const who = { email: `${kind}-of@${world.org}.example`, password: 'walnut-desk-twelve-green' }
    await joinAs(world, { ...who, role: kind })
    return { who, org: world.org }
  }

  for (const kind of KINDS) {
    it(`open for a person of the kind ${kind}, without a refusal, exactly where the navigation leads`, async t => {
      const world = await startConsole(t)
      await fill(world)
      const { who, org } = await personOf(kind, world)
      const { page } = await world.signIn(who, '/')
      const nav = page.getByRole('navigation', { name: 'Services' })
      await nav.getByRole('link').first().waitFor()
      await page.waitForTimeout(SETTLED_MS)
      const shown = await nav.locator('a').evaluateAll(all => all.map(one => Reflect.get(one, 'pathname') as string))
      const place = (path: string) => (path.startsWith('/') ? path : `/o/${org}/${path}`)
      const services = await declared()
      const paths = services.flatMap(one => one.screens).map(one => one.path)

      const seen = new Map<string, Seen>()
      for (const path of paths.filter(one => !one.includes('$'))) {
        seen.set(place(path), await see(page, world.baseUrl + place(path)))
      }
      for (const path of paths.filter(one => one.includes('$'))) {
        // One of its kind, to which another screen leads.
        const pattern = new RegExp(`^${place(path).replace(/\$\w+/g, '[^/]+')}$`)
        const links = [...seen.values()].flatMap(one => one.links)
        const own = links.find(one => pattern.test(one) && !seen.has(one))
        if (own) seen.set(own, await see(page, world.baseUrl + own))
        else t.diagnostic(`no screen leads to ${path}`)
      }

      for (const one of seen.values()) {
        assert.deepEqual(one.failed, [], one.url)
        if (one.refused.length === 0) assert.deepEqual(one.trouble, [], one.url)
      }
      for (const path of shown) assert.deepEqual(seen.get(path)?.refused, [], `${path} is in the navigation`)
      const open = [...seen].filter(([, { refused }]) => refused.length === 0)
      const linked = new Set([...shown, ...open.flatMap(([, { links }]) => links)])
      for (const [path, { links }] of open.filter(([one]) => linked.has(one))) {
        const closed = links.filter(one => (seen.get(one)?.refused.length ?? 0) > 0)
        assert.deepEqual(closed, [], `${path} leads to what is refused`)
      }
      for (const { path } of services.flatMap(one => one.entries)) {
        const isBelow = shown.some(one => place(path).startsWith(`${one}/`))
        const isOpen = seen.get(place(path))?.refused.length === 0
        if (!shown.includes(place(path)) && !isBelow) {
          assert.equal(isOpen, false, `${path} opens, but is not in the navigation`)
        }
      }
    })
  }
})
