// Outgoing mail: over SMTP where a server is set, else kept as files that a person with access to the data can open.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, EngineUnavailable, type Mail, type Random } from '../engines.ts'

/** No caller waits longer for a mail server. */
const PATIENCE_MS = 10_000

export type MailSettings = {
  /** `smtp://user:password@host:port` or `smtps://…`; null keeps mail in the data directory. */
  smtpUrl: string | null
  from: string
  /** Further authorities, in PEM, that the server's certificate may come of. */
  ca: string | undefined
  directory: string
}

export function openMail({ smtpUrl, from, ca, directory }: MailSettings, clock: Clock, random: Random): Mail {
  return smtpUrl === null ? keptMail(directory, from, clock, random) : smtpMail(smtpUrl, from, ca)
}

function smtpMail(url: string, from: string, ca: string | undefined): Mail {
  const { protocol, hostname, port, username, password } = new URL(url)
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    // What is sent opens accounts: without TLS it goes to this very machine alone.
    requireTLS: protocol === 'smtp:' && !LOOPBACK.test(hostname),
    ...(ca !== undefined && { tls: { ca } }),
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...{
      connectionTimeout: PATIENCE_MS,
      greetingTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
      dnsTimeout: PATIENCE_MS,
    },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }
  return {
    send: async ({ to, subject, text }) => {
      const { createTransport } = await import('nodemailer') // Few starts send mail; loading it would slow all of them.
      try {
        await createTransport(options).sendMail({ from, to, subject, text })
      } catch (error) {
        throw new EngineUnavailable('mail', 'down', error)
      }
    },
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** One file each, named by time; whole or not there. */
function keptMail(directory: string, from: string, clock: Clock, random: Random): Mail {
  return {
    send: async ({ to, subject, text }) => {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await transport.sendMail({ from, to, subject, text, date: clock.now() })
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const name = `${clock.now().toISOString().replaceAll(':', '')}-${random.token(8)}.eml`
      const path = join(directory, name)
      writeFileSync(`${path}.new`, message as Buffer, { mode: 0o600, flush: true })
      chmodSync(`${path}.new`, 0o600)
      renameSync(`${path}.new`, path)
    },
  }
}
