// `npm run build`: builds the console if its sources changed. A host does the same in the background, in a process of its own.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import { lockName } from '../engines/db/embedded/lock.ts'
import { BUILT, isBuilt, SOURCES, STAMP, sourcesDigest, stampOf } from './sources.ts'
import { installTools, run } from './tools.ts'

const FRESH = `${BUILT}.new`
const FORMER = `${BUILT}.old`
const COMPRESSED = /\.(js|css|svg|html)$/

// Several hosts of a checkout may start together.
let release = await lockName(SOURCES)
while (!release) {
  await wait(200)
  release = await lockName(SOURCES)
}
if (!isBuilt()) {
  installTools()
  build()
}
release()

/** Into another directory, which then replaces the former build. */
function build(): void {
  const digest = sourcesDigest()
  rmSync(FRESH, { recursive: true, force: true })
  run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--outDir', FRESH, '--logLevel', 'warn'])
  for (const name of readdirSync(FRESH, { recursive: true, encoding: 'utf8' })) {
    const path = join(FRESH, name)
    if (COMPRESSED.test(name)) writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)))
  }
  writeFileSync(join(FRESH, STAMP), stampOf(digest, FRESH))
  rmSync(FORMER, { recursive: true, force: true })
  if (existsSync(BUILT)) renameSync(BUILT, FORMER)
  renameSync(FRESH, BUILT)
  rmSync(FORMER, { recursive: true, force: true })
}
