// Reads the mails that were written to files. It understands only the form in which they are written: header fields in
// several lines and encoded words, then the plain text as it is.
import { constants } from 'node:fs'
import { type FileHandle, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptMail, KeptMails } from '../engines.ts'

const NAME = /^(\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-[0-9A-Za-z]{8})\.eml$/
const TEXT_BYTES_MAX = 64 * 1024
/** The longest subject has the name of an organisation and an app, encoded. */
const HEAD_BYTES_MAX = 16 * 1024

export const keptMails = (directory: string): KeptMails => ({
  list: async (before, count) => {
    const found: KeptMail[] = []
    for (const id of await newestIds(directory, before, count)) {
      const head = await beginningOf(directory, id, HEAD_BYTES_MAX)
      if (head !== null) found.push(mailFrom(id, head).mail)
    }
    return found
  },
  read: async id => {
    if (!NAME.test(`${id}.eml`)) return null
    const message = await beginningOf(directory, id, HEAD_BYTES_MAX + TEXT_BYTES_MAX)
    if (message === null) return null
    const { mail, from, subject, text } = mailFrom(id, message)
    const kept = Buffer.from(text).subarray(0, TEXT_BYTES_MAX).toString('utf8')
    return { ...mail, from, subject, text: kept }
  },
})

/** The directory may have any number of files; only those of the page are remembered. */
async function newestIds(directory: string, before: string, count: number): Promise<string[]> {
  let newest: string[] = []
  const cut = () => newest.sort((a, b) => (a < b ? 1 : -1)).slice(0, count)
  try {
    for await (const { name } of await opendir(directory, { bufferSize: 1_000 })) {
      const [, id] = NAME.exec(name) ?? []
      if (id === undefined || (before !== '' && id >= before)) continue
      newest.push(id)
      if (newest.length > 2 * count + 1_000) newest = cut()
    }
  } catch (error) {
    if (!isMissing(error)) throw error // No mail yet.
  }
  return cut()
}

/** Null if the file was deleted meanwhile, or is none. Opening a pipe would wait for a writer. */
async function beginningOf(directory: string, id: string, bytes: number): Promise<string | null> {
  let file: FileHandle | undefined
  try {
    file = await open(join(directory, `${id}.eml`), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return null
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead).toString('utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  } finally {
    await file?.close()
  }
}

/** A link is not followed. */
const isMissing = (error: unknown) => ['ENOENT', 'ELOOP'].includes((error as { code?: string }).code ?? '')

/** A message of another form is shown as it is. */
function mailFrom(id: string, message: string): { mail: KeptMail; from: string; subject: string; text: string } {
  const [day = '', time = ''] = id.slice(0, 'YYYY-MM-DDTHHMMSS.mmmZ'.length).split('T')
  const at = `${day}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`
  const end = message.indexOf('\r\n\r\n')
  const fields = fieldsOf(end === -1 ? message : message.slice(0, end))
  const of = (name: string) => decoded(fields.get(name) ?? '')
  const text = end === -1 ? message : message.slice(end + 4).replaceAll('\r\n', '\n')
  return { mail: { id, at, to: of('to') }, from: of('from'), subject: of('subject'), text }
}

/** By name in lower case. A line that begins with a space continues the one before. */
function fieldsOf(head: string): Map<string, string> {
  const fields = new Map<string, string>()
  let last = ''
  for (const line of head.split('\r\n')) {
    if (/^[ \t]/.test(line)) {
      fields.set(last, `${fields.get(last) ?? ''} ${line.trimStart()}`)
      continue
    }
    const at = line.indexOf(':')
    last = line.slice(0, Math.max(0, at)).toLowerCase()
    fields.set(last, line.slice(at + 1).trim())
  }
  return fields
}

/** Encoded words (RFC 2047) in UTF-8. Spaces between two of them mean nothing, and a character may be in both. */
function decoded(value: string): string {
  const parts = value.split(/=\?UTF-8\?([QB])\?([^?\s]*)\?=/i)
  let text = parts[0] ?? ''
  let bytes: Buffer[] = []
  for (let at = 1; at < parts.length; at += 3) {
    bytes.push(wordOf(parts[at] as string, parts[at + 1] as string))
    const plain = parts[at + 2] as string
    if (plain.trim() === '' && at + 3 < parts.length) continue
    text += Buffer.concat(bytes).toString('utf8') + plain
    bytes = []
  }
  return text
}

function wordOf(encoding: string, word: string): Buffer {
  if (encoding.toUpperCase() === 'B') return Buffer.from(word, 'base64')
  const bytes = word
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
