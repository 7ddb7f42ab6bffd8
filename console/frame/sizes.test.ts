// How much a browser loads for the first screen and for each service, by what the build says each file imports.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { NO_CONSOLE } from '../../test/console.ts'

const KIB = 1024
const FIRST_MAX = 150 * KIB
const SERVICE_MAX = 40 * KIB
const HOME = 'services/home/home.tsx'

type Chunk = { file: string; imports?: string[]; css?: string[]; isDynamicEntry?: boolean }

describe('the files of the console', { skip: NO_CONSOLE }, () => {
  const chunks: Record<string, Chunk> = JSON.parse(readFileSync('console/dist/files.txt', 'utf8'))

  /** A chunk and all that it imports at once. */
  function filesOf(name: string, found = new Set<string>()): Set<string> {
    const { file, imports = [], css = [] } = chunks[name] as Chunk
    if (found.has(file)) return found
    found.add(file)
    for (const one of css) found.add(one)
    for (const one of imports) filesOf(one, found)
    return found
  }
  const bytesOf = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => sum + gzipSync(readFileSync(`console/dist/${file}`)).length, 0)
  const first = new Set([...filesOf('index.html'), ...filesOf(HOME)])

  it('have at most 150 KiB as gzip for the first screen', t => {
    const bytes = bytesOf(first)
    t.diagnostic(`${bytes} bytes`)
    assert.ok(bytes > 50 * KIB && bytes <= FIRST_MAX, `${bytes} bytes`)
  })

  it('have at most 40 KiB for each service', t => {
    const screens = Object.entries(chunks).filter(([, { isDynamicEntry }]) => isDynamicEntry)
    const services = Map.groupBy(screens, ([name]) => name.split('/').slice(0, 2).join('/'))
    assert.ok(services.size > 8)
    for (const [service, of] of services) {
      const files = new Set(of.flatMap(([name]) => [...filesOf(name)]).filter(file => !first.has(file)))
      const bytes = bytesOf(files)
      t.diagnostic(`${service}: ${bytes} bytes`)
      assert.ok(bytes <= SERVICE_MAX, `${service} has ${bytes} bytes`)
    }
  })
})
