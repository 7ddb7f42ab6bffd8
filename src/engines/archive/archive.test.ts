import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { type ArchiveEntry, readArchive, writeArchive } from './archive.ts'

const directory = mkdtempSync(join(tmpdir(), 'stoa-archive-'))
after(() => rmSync(directory, { recursive: true }))
const { signal } = new AbortController()

const fileOf = (name: string): ArchiveEntry => ({
  kind: 'file',
  name,
  mode: 0o600,
  size: 2,
  chunks: [Buffer.from('Hi')],
})
async function* entriesOf(names: string[]): AsyncIterable<ArchiveEntry> {
  for (const name of names) yield fileOf(name)
}
const write = (file: string, names: string[]) => writeArchive(join(directory, file), entriesOf(names), () => {}, signal)

async function read(file: string): Promise<string[]> {
  const names: string[] = []
  const place = async (entry: ArchiveEntry) => {
    if (entry.kind === 'file') assert.equal(await text(entry.chunks as AsyncIterable<Uint8Array>), 'Hi')
    names.push(entry.name)
  }
  await readArchive(join(directory, file), place, signal)
  return names
}

describe('an archive', () => {
  it('has names of any length', async () => {
    const names = ['a', `b/${'ü'.repeat(120)}`, `${'c/'.repeat(100)}d`]
    await write('long', names)
    assert.deepEqual(await read('long'), names)
  })

  it('is refused with a name that leads elsewhere, or twice to the same file', async () => {
    for (const [n, name] of ['../x', 'a/../../x', '/x', 'a/./x', 'a//x', './x', '.'].entries()) {
      await write(`wrong-${n}`, ['first', name])
      await assert.rejects(read(`wrong-${n}`), /does not belong in a backup/, name)
    }
  })

  it('is private, and never replaces a file', async () => {
    await write('once', ['a'])
    assert.equal(statSync(join(directory, 'once')).mode & 0o777, 0o600)
    writeFileSync(join(directory, 'there'), 'mine')
    await assert.rejects(write('there', ['a']), /there was created during the backup/)
    assert.equal(statSync(join(directory, 'there')).size, 4)
    assert.deepEqual(
      readdirSync(directory).filter(name => name.endsWith('.partial')),
      [],
    )
  })
})
