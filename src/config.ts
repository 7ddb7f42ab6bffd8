// Every setting: its name, description, default and parser. Nothing else reads the environment.
import { Resolver } from 'node:dns'
import { readFileSync } from 'node:fs'
import type { BlockList } from 'node:net'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { cidrList } from './engines/http/guard.ts'
import { rootKeyFrom } from './engines/seal/root-key.ts'
import { CONNECTION_LIMITS } from './host/connections.ts'
import { BRAND, DEFAULT_BRAND } from './kit/host/brand.ts'
import { count, optional, type Settings, StartRefused, setting, readUrl as url } from './kit/setting.ts'

const SETTINGS = {
  STOA_DATA: setting('The data directory', './data', text => resolve(text)),
  STOA_HOST: setting('The address to listen on', '127.0.0.1', String),
  STOA_PORT: setting('The port of the API; 0 chooses a free one', '8443', port),
  STOA_METRICS_HOST: setting('The address of `/metrics`; keep it private', '127.0.0.1', String),
  STOA_METRICS_PORT: setting('The port of `/metrics`; 0 chooses a free one', '9464', port),
  STOA_IAM_PORT: setting('The port of the identity origin', '8444', port),
  STOA_BASE_URL: setting(
    'The public URL of the API',
    'https://localhost:<port>',
    optional(httpsUrl),
    'Its host name is added to the local certificate',
  ),
  STOA_IAM_URL: setting(
    'The public URL of the identity origin, and of further brands: `url, brand=url, …`',
    'https://localhost:<iam port>',
    brands,
    'For example `https://id.example.com,acme=https://id.acme.com`. Fixed once set, see [Sign-in](#sign-in)',
  ),
  STOA_TLS_CERT: setting(
    'A certificate chain (PEM file) instead of the local one',
    '',
    optional(file),
    'It must cover the names of both URLs',
  ),
  STOA_TLS_KEY: setting('The key (PEM file) of that certificate', '', optional(file)),
  STOA_OWN_ORIGINS: setting(
    'Further origins whose pages may call Stoa with credentials, such as `http://localhost:3000`: `origin, …`',
    '',
    origins,
    'For development servers',
  ),
  STOA_TRUST_PROXY: setting(
    'Proxies whose `X-Forwarded-*` headers are trusted: addresses or CIDRs',
    '',
    optional(cidrs),
    'The headers are `X-Forwarded-Proto` and `X-Forwarded-For`',
  ),
  STOA_UPSTREAMS: setting(
    'Services that run elsewhere: `service=url, …`',
    '',
    upstreams,
    'For example `search=http://10.0.0.5:7000,tasks=…`',
  ),
  STOA_OUTBOUND_ALLOW: setting('Private networks that outgoing calls may reach: CIDRs', '', cidrTexts),
  STOA_OUTBOUND_CA: setting('Additional certificate authorities (PEM file) for outgoing calls', '', optional(file)),
  STOA_DNS: setting(
    'DNS resolvers for domain checks and outgoing calls: `address[:port], …`',
    "<the system's>",
    resolvers,
    'For example `10.0.0.2,10.0.0.3:5353`',
  ),
  STOA_SMTP_URL: setting(
    'A mail server, `smtp://user:password@host:port` or `smtps://…`',
    '<files in data/mail>',
    optional(smtpUrl),
    'For example `smtp://user:password@mail.example.com:587`',
  ),
  STOA_MAIL_FROM: setting('The sender address of mails', 'stoa@localhost', sender),
  STOA_ROOT_KEY: setting(
    'The key that encrypts stored secrets: 32 bytes in base64',
    '<data>/root.key',
    optional(sealingKey),
    'Create one with `openssl rand -base64 32`',
  ),
  STOA_DB_CONNECTIONS: setting(
    'Connections to the database for requests',
    '10',
    count,
    'Background work has additional connections, 60 % of this number and at least two. So have reads over many rows, 20 % and at least one',
  ),
  STOA_DB_QUEUE: setting(
    'Database calls that may wait for a connection; further ones are answered with 503',
    '200',
    count,
  ),
  STOA_DB_WAIT_S: setting(
    'Seconds that a database call waits for a connection before it is answered with 503',
    '5',
    count,
    'This includes the time to connect, and also applies to health checks and migrations. A server that does not respond ' +
      'for nine tenths of this time is considered down',
  ),
  STOA_ANSWER_MEMORY_MB: setting('Memory for responses that clients have not read yet, in MiB', '128', count),
  STOA_BODY_MEMORY_MB: setting('Memory for request bodies that are received at the same time, in MiB', '64', count),
  STOA_CONNECTIONS_MAX: setting(
    'Open connections of clients, in total',
    String(CONNECTION_LIMITS.total),
    count,
    'Lowered at startup, with a warning, so that a quarter of the open-file limit (`ulimit -n`), at most 4,096 files, ' +
      'remains for everything else',
  ),
  STOA_CONNECTIONS_PER_ADDRESS: setting(
    'Open connections from one client address',
    String(CONNECTION_LIMITS.perAddress),
    count,
    'Trusted proxies are exempt. Up to 1,000 further connections wait up to ten seconds until another one closes',
  ),
  STOA_SIGN_INS_PER_MINUTE: setting('Sign-ins that one client address may start per minute', '120', count),
  STOA_CONSOLE: setting(
    'The console at `/`: `build` it at the start if that is due, serve what is `built`, or `off`',
    'build',
    oneOf(['build', 'built', 'off']),
    'Building needs npm and its registry, once for each version. `npm run build` does it beforehand',
  ),
  STOA_LOG: setting(
    'The log level: `error`, `warn`, `info` or `debug`',
    'info',
    oneOf(['error', 'warn', 'info', 'debug']),
  ),
  DATABASE_URL: setting(
    'The URL of a PostgreSQL server (15 or newer) to use instead of the embedded one',
    '',
    optional(databaseUrl),
  ),
}

type Name = keyof typeof SETTINGS
/** `services` holds the values of the settings that services declare, by name. */
export type Config = { [N in Name]: ReturnType<(typeof SETTINGS)[N]['read']> } & {
  warnings: string[]
  services: Record<string, unknown>
}

/** Reads flags and environment; a flag wins. `STOA_PORT` is also `--port`, `DATABASE_URL` is `--database-url`. */
export function readConfig(flags: string[], declared: Settings, environment: NodeJS.ProcessEnv = process.env): Config {
  const all = allSettings(declared)
  const given = readFlags(flags, all)
  const services: Record<string, unknown> = {}
  const config: Record<string, unknown> = { warnings: unknownNames(environment, all), services }
  for (const [name, { fallback, read }] of Object.entries(all)) {
    const text = (given.get(name) ?? environment[name] ?? '').trim()
    try {
      const value = read(text || (fallback.includes('<') ? '' : fallback))
      ;(name in declared ? services : config)[name] = value
    } catch (error) {
      const shown = name === 'STOA_ROOT_KEY' ? '' : `=${JSON.stringify(withoutSecrets(text))}`
      throw new StartRefused(`${name}${shown}: ${(error as Error).message}`)
    }
  }
  const { STOA_TLS_CERT, STOA_TLS_KEY } = config as Config
  if (!STOA_TLS_CERT !== !STOA_TLS_KEY) throw new StartRefused('STOA_TLS_CERT and STOA_TLS_KEY go together; one is set')
  if (STOA_TLS_CERT && STOA_TLS_KEY) requirePair(STOA_TLS_CERT, STOA_TLS_KEY)
  requireOwnPorts(config as Config)
  return config as Config
}

/** Checked early: otherwise a clash would be found only after the data directory was created. */
function requireOwnPorts(config: Config): void {
  const names = ['STOA_PORT', 'STOA_IAM_PORT', 'STOA_METRICS_PORT'] as const
  for (const [at, name] of names.entries()) {
    const same = names.slice(at + 1).find(other => config[name] !== 0 && config[other] === config[name])
    if (same) throw new StartRefused(`${name} and ${same} are both ${config[name]}; choose another`)
  }
}

/** All settings, including those that services declare. */
export const allSettings = (declared: Settings): Settings => ({ ...SETTINGS, ...declared })

export function helpText(declared: Settings): string {
  const rows = Object.entries(allSettings(declared)).map(([name, { doc, fallback }]) => {
    const plain = doc.replaceAll('`', '')
    return `  ${flagOf(name).padEnd(26)} ${name.padEnd(28)} ${plain}${fallback ? ` (${fallback})` : ''}`
  })
  const usage = 'Starts Stoa: npm start -- [flags]. Each flag can be an environment variable instead.'
  const other = [`  ${'--help'.padEnd(26)} Prints this text`, `  ${'--version'.padEnd(26)} Prints the version`]
  return [usage, '', ...rows, '', ...other, ''].join('\n')
}

const flagOf = (name: string) =>
  `--${name
    .replace(/^STOA_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`

function readFlags(flags: string[], all: Settings): Map<string, string> {
  const names = new Map(Object.keys(all).map(name => [flagOf(name), name]))
  const found = new Map<string, string>()
  for (let at = 0; at < flags.length; at++) {
    const [flag = '', inline] = (flags[at] as string).split(/=(.*)/s)
    const name = names.get(flag)
    if (!name) throw new StartRefused(`${flag} is not a flag; npm start -- --help lists them`)
    const value = inline ?? flags[++at]
    if (!value?.trim()) throw new StartRefused(`${flag} needs a value`)
    found.set(name, value)
  }
  return found
}

/** Reported as warnings, because a misspelt setting would otherwise have no effect. */
function unknownNames(environment: NodeJS.ProcessEnv, all: Settings): string[] {
  return Object.keys(environment).filter(name => name.startsWith('STOA_') && !(name in all))
}

/** Hides the user and password of URLs. */
function withoutSecrets(text: string): string {
  return text.replace(/^([a-z+]+:)?(\/*).*@/i, '$1$2…@')
}

function requirePair(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new StartRefused(
      `STOA_TLS_CERT and STOA_TLS_KEY are not a certificate and its key: ${(error as Error).message}`,
    )
  }
}

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= 65_535)) throw new Error('must be a port number, 0 to 65535')
  return number
}

function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return text => {
    if (!values.includes(text as T)) throw new Error(`must be one of ${values.join(', ')}`)
    return text as T
  }
}

function list(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

function cidrs(text: string): BlockList {
  return cidrList(list(text))
}

function cidrTexts(text: string): string[] {
  cidrs(text)
  return list(text)
}

function resolvers(text: string): string[] {
  try {
    new Resolver().setServers(list(text))
  } catch {
    throw new Error('must be addresses of resolvers, such as 1.1.1.1 or [2606:4700::1111]:53')
  }
  return list(text)
}

function sealingKey(text: string): Uint8Array {
  return rootKeyFrom(text, 'it')
}

function file(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function httpsUrl(text: string): string {
  const { origin, pathname, search, hash } = url(text, ['https:'])
  if (pathname !== '/' || search || hash) throw new Error('must be an origin without a path')
  return origin
}

/** As browsers send them in the Origin header. */
function origins(text: string): string[] {
  return list(text).map(part => {
    const { origin, pathname, search, hash } = url(part, ['https:', 'http:'])
    const isOrigin = pathname === '/' && !search && !hash && !/[*@]/.test(part)
    if (!isOrigin) throw new Error('must be origins, such as http://localhost:3000, without a wildcard')
    return origin
  })
}

/** The origin of each brand; the one without a name belongs to the default brand. */
function brands(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of list(text)) {
    const [, name = DEFAULT_BRAND, address = ''] = part.match(/^(?:([^=:/]*)=)?(.*)$/s) ?? []
    if (!BRAND.test(name)) throw new Error('must name brands with up to 32 lower-case letters and digits')
    const origin = httpsUrl(address)
    if (found.has(name) || [...found.values()].includes(origin))
      throw new Error('must not name a brand or an origin twice')
    found.set(name, origin)
  }
  return found
}

function smtpUrl(text: string): string {
  const { hostname, username, password, pathname } = url(text, ['smtp:', 'smtps:'])
  if (hostname === '' || !['', '/'].includes(pathname)) throw new Error('must be a server without a path')
  requireDecodable(username + password)
  return text
}

function sender(text: string): string {
  if (!/^[^<>\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/u.test(text)) {
    throw new Error('must be an address such as no-reply@example.com, or Name <no-reply@example.com>')
  }
  return text
}

function requireDecodable(userInfo: string): void {
  try {
    decodeURIComponent(userInfo)
  } catch {
    throw new Error('must write a % in the user or password as %25')
  }
}

function databaseUrl(text: string): string {
  const { username, password } = url(text, ['postgres:', 'postgresql:'])
  requireDecodable(username + password)
  return text
}

function upstreams(text: string): Map<string, URL> {
  return new Map(
    list(text).map(pair => {
      const [service = '', address = ''] = pair.split(/=(.*)/s)
      return [service, url(address, ['http:', 'https:'])]
    }),
  )
}
