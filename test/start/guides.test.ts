// The commands of the guides work in their order, in a fresh terminal beside a fresh start. A command whose comment names a
// status is answered with that, and every other one succeeds.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freePort } from '../external.ts'
import { freshDirectory, start, up } from '../process.ts'

const GUIDES = ['keys']

describe('the commands of a guide', () => {
  for (const guide of GUIDES) {
    it(guide, { timeout: 120_000 }, async t => {
      const directory = freshDirectory(t)
      const [port, iamPort] = [await freePort(), await freePort()]
      const started = start({
        STOA_DATA: join(directory, 'data'),
        STOA_PORT: String(port),
        STOA_IAM_PORT: String(iamPort),
      })
      await up(started)
      const text = readFileSync(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8')
      const commands = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('')
      assert.notEqual(commands, '')
      const { status, stdout, stderr } = spawnSync('bash', ['-c', PREAMBLE + withStatuses(commands)], {
        cwd: directory,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: directory },
      })
      assert.equal(status, 0, `${stdout}\n${stderr}`)
    })
  }
})

/** `curl` fails with the answer, unless another status is expected. */
const PREAMBLE = `set -euo pipefail
curl() { if [ -n "\${EXPECTED-}" ]; then answered "$@"; else command curl --fail-with-body "$@"; fi; }
answered() { [ "$(command curl -o /dev/null -w '%{http_code}' "$@")" = "$EXPECTED" ]; }
`

const withStatuses = (commands: string) =>
  commands
    .split('\n')
    .map(line => {
      const status = line.match(/# (4\d\d)/)?.[1]
      return status ? `EXPECTED=${status}; ${line}\nEXPECTED=` : line
    })
    .join('\n')
