// The mail of a test host: a server that a test controls, and mail that is kept in files of a directory of its own.
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, Mail, OutgoingMail } from '../src/engines/engines.ts'
import { openMail } from '../src/engines/mail/mail.ts'
import { systemRandom } from '../src/engines/random/random.ts'

/** `other` replaces the mail that is kept. */
export function testMail(clock: Clock, other?: Omit<Mail, 'send'>) {
  const mails: OutgoingMail[] = []
  /** A test replaces `accept`; to reject mail it throws. */
  const mailServer = { accept: (mail: OutgoingMail) => void mails.push(mail) }
  const directory = join(tmpdir(), `stoa-kept-${systemRandom.token(16)}`)
  const settings = { smtpUrl: null, from: 'stoa@localhost', ca: undefined, directory, print: () => {} }
  const files = openMail(settings, clock, systemRandom)
  /** `keep` writes a mail to a file, as a host without a mail server does. */
  const keptMail = { keep: files.send, remove: () => rmSync(directory, { recursive: true, force: true }) }
  const engine: Mail = { ...(other ?? files), send: async mail => mailServer.accept(mail) }
  return { engine, shown: { mails, mailServer, keptMail } }
}
