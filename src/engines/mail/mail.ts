// Outgoing mail: over SMTP if a server is configured, otherwise written to files in the data directory.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, EngineUnavailable, type Mail, type Random } from '../engines.ts'
import { trusting } from '../tls/trusted.ts'
import { keptMails } from './kept.ts'

const TIMEOUT_MS = 10_000
/** A connection, TLS and a login; each of them could take as long as the limit above. */
const PING_MS = 5_000

export type MailSettings = {
  /** `smtp://user:password@host:port` or `smtps://…`; null writes mail to the data directory. */
  smtpUrl: string | null
  from: string
  /** Additional certificate authorities to trust, in PEM. */
  ca: string | undefined
  directory: string
  /** Prints the links of mail that is written to a file, for operators without a mail server. */
  print: (text: string) => void
}

export function openMail(settings: MailSettings, clock: Clock, random: Random): Mail {
  const { smtpUrl, from, ca } = settings
  return smtpUrl === null ? fileMail(settings, clock, random) : smtpMail(smtpUrl, from, ca)
}

function smtpMail(url: string, from: string, ca: string | undefined): Mail {
  const { protocol, hostname, port, username, password } = new URL(url)
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    // Mails contain links that give access to accounts: without TLS they are sent only to this machine.
    requireTLS: protocol === 'smtp:' && !LOOPBACK.test(hostname),
    tls: { secureContext: trusting(ca) },
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return {
    driver: 'SMTP',
    kept: null,
    ping: async () => {
      const { createTransport } = await import('nodemailer')
      const late = wait(PING_MS, null, { ref: false }).then(() => Promise.reject(new Error('no answer in time')))
      try {
        await Promise.race([createTransport(options).verify(), late])
      } catch (error) {
        throw new EngineUnavailable('mail', 'down', error)
      }
    },
    send: async ({ fromName, ...mail }) => {
      const { createTransport } = await import('nodemailer') // Loaded on first use, to start faster.
      try {
        await createTransport(options).sendMail({ from: sender(from, fromName), ...mail })
      } catch (error) {
        throw new EngineUnavailable('mail', 'down', error)
      }
    },
  }
}

/** The configured sender, with another display name if one is given. */
function sender(from: string, name: string | undefined): string | { name: string; address: string } {
  const address = from.endsWith('>') ? from.slice(from.lastIndexOf('<') + 1, -1) : from
  return name === undefined ? from : { name, address }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Writes one file per mail, named by time, and its HTML next to it: browsers show that, and the text stays readable. */
function fileMail({ directory, from, print }: MailSettings, clock: Clock, random: Random): Mail {
  return {
    driver: 'files',
    kept: keptMails(directory),
    ping: async () => {},
    send: async ({ fromName, html, ...mail }) => {
      const { to, subject, text } = mail
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await transport.sendMail({ from: sender(from, fromName), ...mail, date: clock.now() })
      const name = `${clock.now().toISOString().replaceAll(':', '')}-${random.token(8)}`
      if (html !== undefined) writePrivate(directory, `${name}.html`, html)
      const path = writePrivate(directory, `${name}.eml`, readable(message as Buffer, text))
      // Our own links are on a line of their own; a link in an organisation's name is not.
      const links = text.match(/^https:\/\/\S+$/gm) ?? []
      const lines = [`Mail to ${to} (${subject}) is in ${path}`, ...links, '']
      // Without control characters, which could control the terminal, and without characters that change the text
      // direction.
      print(`${lines.map(line => line.replace(/[\p{Cc}\p{Cf}]/gu, '')).join('\n')}\n`)
    },
  }
}

/** Renamed when complete; nothing is left behind if the disk is full. */
function writePrivate(directory: string, name: string, text: string): string {
  const path = join(directory, name)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
    chmodSync(`${path}.new`, 0o600)
    renameSync(`${path}.new`, path)
    return path
  } catch (error) {
    rmSync(`${path}.new`, { force: true })
    throw new EngineUnavailable('mail', 'down', error)
  }
}

/** The message with its text unencoded: nodemailer would break long lines, and with them the links that people copy. */
function readable(message: Buffer, text: string): string {
  const [head = ''] = message.toString('utf8').split('\r\n\r\n', 1)
  const fields = head.split('\r\n').filter(line => !line.startsWith('Content-Transfer-Encoding: '))
  return [...fields, 'Content-Transfer-Encoding: 8bit', '', text.replaceAll('\n', '\r\n')].join('\r\n')
}
