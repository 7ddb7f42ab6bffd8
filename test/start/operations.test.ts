// The commands of docs/OPERATIONS.md that work on any machine: the first steps, a backup and its restoration, with the embedded
// database and with an external one. All others are parsed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { externalPostgres } from '../external.ts'
import { client, firstRunOf, freshDirectory, type Started, start, up } from '../process.ts'

const BLOCKS = [...readFileSync('docs/OPERATIONS.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, block]) => block as string,
)

/** The block with this text. */
function blockWith(text: string): string {
  const found = BLOCKS.filter(block => block.includes(text))
  assert.equal(found.length, 1, `one block has ${text}`)
  return found[0] as string
}

/** `npm start` prints the data directory with which Stoa is to start. */
const OWN = `curl() { command curl -sS --fail-with-body "$@"; }
npm() { if [ "$1" = start ]; then realpath "$STOA_DATA"; else command npm "$@"; fi; }
`

/** Runs commands. */
function paste(commands: string, cwd: string, env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', OWN + commands], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  return stdout
}

async function stop({ child, ended }: Started): Promise<void> {
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
}

function openCheckout(t: TestContext): string {
  const directory = freshDirectory(t)
  mkdirSync(directory)
  return directory
}

async function startIn(directory: string, settings: Record<string, string> = {}, data = join(directory, 'data')) {
  const started = start({ STOA_DATA: data, ...settings }, directory)
  return { started, data, baseUrl: await up(started) }
}
type Running = Awaited<ReturnType<typeof startIn>>

/** The slugs of the projects, read with the key of the first start. */
async function projectsOf(data: string, baseUrl: string, key: string): Promise<string[]> {
  const { call, close } = client(data, baseUrl, key)
  const { body } = await call('GET /v1/projects')
  close()
  return body.data.map(({ slug }: { slug: string }) => slug)
}

function takeFirstSteps(directory: string, { baseUrl }: Running): void {
  const commands = blockWith('# As the owner of `home`: create a project.')
  paste(commands.replaceAll('https://localhost:8443', baseUrl), directory)
}

describe('the commands of the operations manual', () => {
  it('are valid', () => {
    assert.ok(BLOCKS.length > 15)
    for (const block of BLOCKS) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' })
      assert.equal(status, 0, `${stderr}\n${block}`)
    }
  })

  it('take the first steps, make a backup while Stoa runs, and restore it', { timeout: 300_000 }, async t => {
    const directory = openCheckout(t)
    const first = await startIn(directory)
    const { key } = firstRunOf(first.data).home
    takeFirstSteps(directory, first)
    const here = (commands: string) =>
      commands.replaceAll('/var/backups/', `${directory}/`).replaceAll('/srv/', `${directory}/`)
    // Both name the file by its date; a reader writes the one that there is.
    const [backup] = blockWith('npm run backup -- /var/backups/stoa-$(date').split('\n')
    paste(here(`${backup}`).replace('$(date +%F)', '2026-11-18'), process.cwd(), { STOA_DATA: first.data })
    const restored = paste(here(blockWith('STOA_DATA=/srv/restored npm run restore')), process.cwd())
    await stop(first.started)
    const again = await startIn(directory, {}, restored.trim().split('\n').at(-1))
    assert.notEqual(again.data, first.data)
    assert.deepEqual(await projectsOf(again.data, again.baseUrl, key), ['web-shop'])
  })

  it('do so with an external database', { timeout: 300_000 }, async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const directory = openCheckout(t)
    const first = await startIn(directory, { DATABASE_URL: external.url })
    const { key } = firstRunOf(first.data).home
    takeFirstSteps(directory, first)
    paste(blockWith('pg_dump'), directory, { DATABASE_URL: external.url })
    await stop(first.started)
    paste('psql "$DATABASE_URL" -c "create database restored"', directory, { DATABASE_URL: external.url })
    const url = external.url.replace('/postgres?', '/restored?')
    const restored = paste(blockWith('pg_restore'), directory, { DATABASE_URL: url })
    const again = await startIn(directory, { DATABASE_URL: url }, restored.trim())
    assert.deepEqual(await projectsOf(again.data, again.baseUrl, key), ['web-shop'])
  })
})
