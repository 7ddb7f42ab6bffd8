// The commands of README and the guides work in order, in a fresh terminal and with a fresh start of Stoa. A command whose comment
// names a status gets that status, and every other one succeeds. All guides run with one start in the order of README, and
// with another one in reverse order, twice each: a guide that needs or conflicts with another guide's results, or its own,
// fails in one of them. A fresh start for each would take much longer and not find the latter.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { after, describe, it, type TestContext } from 'node:test'
import { assertShown, guides, readGuide } from '../guide.ts'
import { chatCompletion, json, startModelServer } from '../model-server.ts'
import { UNREACHABLE } from '../packages.ts'
import { freePort, freshDirectory, type Started, start, up } from '../process.ts'

/** `STOA_TEST_GUIDE=keys` runs that one alone. */
const CHOSEN = process.env.STOA_TEST_GUIDE
/** Its code is run by `add-a-service.test.ts`. */
const OF_CODE = ['add-a-service']
const README = readFileSync('README.md', 'utf8')
const placeOf = (guide: string) => README.lastIndexOf(`](docs/guides/${guide}.md)`)
const GUIDES = guides
  .filter(guide => (CHOSEN ? guide === CHOSEN : !OF_CODE.includes(guide)))
  .sort((a, b) => placeOf(a) - placeOf(b))
const GUIDE_MS = 120_000
/** What guides have installed. */
const PACKAGES = mkdtempSync(join(tmpdir(), 'stoa-packages-'))
after(() => rmSync(PACKAGES, { recursive: true, force: true }))

type Settings = Record<string, string>

describe('the commands of the guides', () => {
  it('work in the order of README', t => runAll(t, GUIDES))
  it('work in the reverse order, twice', t =>
    runAll(
      t,
      GUIDES.toReversed().flatMap(guide => [guide, guide]),
    ))
})

async function runAll(t: TestContext, names: string[]): Promise<void> {
  const checkout = await openCheckout(t)
  for (const [n, name] of names.entries()) {
    const again = names[n - 1] === name ? ', again' : ''
    await t.test(name + again, { timeout: 2 * GUIDE_MS }, one => runGuide(one, name, checkout))
  }
}

type Checkout = Awaited<ReturnType<typeof openCheckout>>

/** The directory in which the reader started Stoa, with what guides use of it. */
async function openCheckout(t: TestContext) {
  const home = freshDirectory(t)
  const directory = join(home, 'stoa')
  mkdirSync(directory, { recursive: true })
  for (const name of ['client', 'deploy']) symlinkSync(resolve(name), join(directory, name))
  const models = await startModelServer(t)
  models.state.answer = json(chatCompletion())
  const own = {
    STOA_DATA: join(directory, 'data'),
    STOA_PORT: await freePort(),
    STOA_IAM_PORT: await freePort(),
    STOA_AI_LOCAL: 'off',
  }
  let [started, present]: [Started | null, Settings] = [null, {}]
  /** As `npm start` with these settings, after Ctrl-C. */
  const restart = async (settings: Settings) => {
    started?.child.kill('SIGTERM')
    await started?.ended
    // The provider is outside of this machine.
    const provider: Settings = settings.OPENAI_API_KEY ? { OPENAI_BASE_URL: `${models.url}/v1` } : {}
    started = start({ ...own, ...settings, ...provider }, directory)
    present = settings
    await up(started)
  }
  await restart({})
  const reset = async () => {
    if (Object.keys(present).length > 0) await restart({})
  }
  return { home, directory, restart, reset, ports: { 8443: own.STOA_PORT, 8444: own.STOA_IAM_PORT } as Settings }
}

async function runGuide(t: TestContext, name: string, { home, directory, restart, reset, ports }: Checkout) {
  const guide = readGuide(name)
  await reset()
  const first = createServer(async (request, response) => {
    const settings = (await textOf(request)).split('\0').filter(line => !/^(PWD|SHLVL|_|PATH|HOME|FIRST)=/.test(line))
    await restart(Object.fromEntries(settings.map(line => line.split(/=(.*)/s)).filter(([name]) => name !== '')))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(first, 'listening')
  t.after(() => first.close())
  const outputs = mkdtempSync(join(home, 'outputs-'))
  const free = await Promise.all(guide.ports.map(async port => [port, ports[port] ?? (await freePort())] as const))
  const ownPorts = (text: string) =>
    free.reduce((changed, [port, own]) => changed.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), own), text)
  const child = spawn('bash', ['-c', TERMINAL + ownPorts(guide.script)], {
    cwd: directory,
    timeout: GUIDE_MS,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      OUTPUTS: outputs,
      PACKAGES,
      CHECKOUT: directory,
      FIRST: `http://127.0.0.1:${(first.address() as AddressInfo).port}`,
      NPM_CA: process.env.NODE_EXTRA_CA_CERTS ?? '',
      npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
      npm_config_cache: resolve('node_modules/.cache/npm'),
      npm_config_prefer_offline: 'true',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [errors, [status]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
  if (status !== 0 && /^npm (error|ERR)/m.test(errors) && UNREACHABLE.test(errors)) return t.skip('no npm registry')
  const printed = () => readdirSync(outputs).map(file => readFileSync(join(outputs, file), 'utf8'))
  assert.equal(status, 0, `${printed().join('\n')}\n${errors}`)
  const shown = guide.shown.map(one => ({ ...one, text: ownPorts(one.text) }))
  assertShown({ ...guide, shown }, outputs)
}

/** `curl` fails with the answer, unless another status is expected. `npm start` stops Stoa and starts it again, and
 *  `npm install` installs the same only once in a run. What a guide left running ends with the terminal. */
const TERMINAL = `set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || :; wait' EXIT
curl() {
  local answer; answer=$(mktemp)
  if [ -n "\${EXPECTED-}" ]; then
    [ "$(command curl -o "$answer" -w '%{http_code}' "$@")" = "$EXPECTED" ] || { cat "$answer" >&2; return 1; }
    cat "$answer"
  else command curl --fail-with-body "$@" || { local status=$?; echo "curl $*" >&2; return $status; }; echo
  fi
}
npm() {
  if [ "$1" = start ]; then env -0 | command curl -sS --fail-with-body --data-binary @- "$FIRST"; return; fi
  local kept; kept=$PACKAGES/$(cksum <<< "$*" | tr ' ' -)
  if [ "$1" = install ] && [ -d "$kept" ]; then cp -r "$kept"/. .; return; fi
  NODE_EXTRA_CA_CERTS=$NPM_CA command npm "$@"
  if [ "$1" = install ]; then mkdir "$kept" && cp -r package.json package-lock.json node_modules "$kept"; fi
}
first_terminal() {
  { declare -f npm; cat; } | env -C "$CHECKOUT" -i PATH="$PATH" HOME="$HOME" FIRST="$FIRST" bash -euo pipefail
}
`
