import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { manualClock } from '../clock/clock.ts'
import type { KeptMails, OutgoingMail } from '../engines.ts'
import { systemRandom } from '../random/random.ts'
import { openMail } from './mail.ts'

function started(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'stoa-kept-'))
  t.after(() => rmSync(home, { recursive: true }))
  const directory = join(home, 'mail')
  const clock = manualClock('2026-11-15T09:00:00.000Z')
  const mail = openMail(
    { smtpUrl: null, from: 'Stoa <stoa@example.com>', ca: undefined, directory, print: () => {} },
    clock,
    systemRandom,
  )
  const send = async (more: Partial<OutgoingMail> = {}) => {
    clock.advance(1_000)
    await mail.send({ to: 'ada@example.com', subject: 'Hello', text: 'Text\n', ...more })
  }
  return { home, directory, send, kept: mail.kept as KeptMails }
}

describe('kept mail', () => {
  it('is listed newest first, in pages', async t => {
    const { send, kept } = started(t)
    assert.deepEqual(await kept.list('', 10), [], 'there is no directory yet')
    for (const to of ['one', 'two', 'three']) await send({ to: `${to}@example.com`, html: '<p>Hello</p>' })
    const first = await kept.list('', 2)
    const id = first.map(one => one.id)
    assert.deepEqual(first, [
      { id: id[0], at: '2026-11-15T09:00:03.000Z', to: 'three@example.com' },
      { id: id[1], at: '2026-11-15T09:00:02.000Z', to: 'two@example.com' },
    ])
    const rest = await kept.list(first[1]?.id as string, 2)
    assert.deepEqual(
      rest.map(({ to }) => to),
      ['one@example.com'],
    )
  })

  it('is read as it was sent, whatever its subject has', async t => {
    const { send, kept } = started(t)
    const mails = [
      { subject: 'Grüße aus Köln, = ? _ =?x?=', text: 'Näher an\n\nhttps://id.example.com/x?y=1\n.\nend\n' },
      { subject: `Join ${'日本語 '.repeat(40).trim()}`, text: '' },
      { subject: `Join ${'a long name '.repeat(20).trim()}`, text: 'a: b\n\n c\n' },
      { subject: `${'é'.repeat(60)} and 👩‍👩‍👧 ${'ü'.repeat(60)}`, text: 'x' },
    ]
    for (const one of mails) {
      await send({ ...one, fromName: 'Café "Größe"' })
      const [{ id = '' } = {}] = await kept.list('', 1)
      const { from, subject, text } = (await kept.read(id)) ?? {}
      assert.deepEqual([subject, text], [one.subject, one.text])
      assert.match(from ?? '', /^"?Café \\?"Größe\\?""? <stoa@example\.com>$/)
    }
  })

  it('has a text of at most 64 KiB', async t => {
    const { send, kept } = started(t)
    await send({ text: 'x'.repeat(200_000) })
    const [{ id = '' } = {}] = await kept.list('', 1)
    assert.equal((await kept.read(id))?.text.length, 64 * 1024)
  })

  it('is nothing but files with its names in its directory', async t => {
    const { home, directory, send, kept } = started(t)
    await send()
    const [{ id = '' } = {}] = await kept.list('', 1)
    writeFileSync(join(home, `${id}.eml`), 'secret')
    writeFileSync(join(directory, 'other.eml'), 'secret')
    mkdirSync(join(directory, 'a'))
    writeFileSync(join(directory, 'a', `${id}.eml`), 'secret')
    for (const other of ['', '..', 'other', `../${id}`, `a/${id}`, `${id}.eml`, `${id}\0`, `${id}\n`, `./${id}`]) {
      assert.equal(await kept.read(other), null, other)
    }
    const unknown = id.replace(/.$/, last => (last === 'x' ? 'y' : 'x'))
    assert.equal(await kept.read(unknown), null)
    symlinkSync(join(home, `${id}.eml`), join(directory, `${unknown}.eml`))
    assert.equal(await kept.read(unknown), null, 'a link to another file')
    assert.ok(existsSync(join(directory, `${unknown}.eml`)))
  })

  it('of another form is shown as it is', async t => {
    const { directory, kept } = started(t)
    mkdirSync(directory)
    const id = '2026-11-15T093000.000Z-Y6cVtIpZ'
    writeFileSync(join(directory, `${id}.eml`), 'no fields at all')
    assert.deepEqual(await kept.read(id), {
      ...{ id, at: '2026-11-15T09:30:00.000Z', to: '', subject: '', from: '', text: 'no fields at all' },
    })
  })
})
