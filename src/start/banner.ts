import { join, relative } from 'node:path'
import { LOGIN_PATH } from '../services/account/public.ts'
import { readFirstRun } from './first-run.ts'

export type BannerFacts = {
  baseUrl: string
  iamUrl: string
  metricsUrl: string
  dataDirectory: string
  /** Null with a configured certificate, which the trust store of the client must cover. */
  ca: string | null
  databaseHome: string | null
  hasConsole: boolean
}

/** The text printed after a start. It ends with a command that can be pasted into a shell. */
export function banner(facts: BannerFacts): string {
  const { baseUrl, iamUrl, metricsUrl, dataDirectory, ca, databaseHome, hasConsole } = facts
  const lines = [`Stoa is up.`, ``, `  API        ${baseUrl}/v1`, `  Identity   ${iamUrl}`]
  lines.push(`  Metrics    ${metricsUrl}/metrics`)
  lines.push(`  Data       ${dataDirectory}`)
  if (databaseHome && relative(dataDirectory, databaseHome).startsWith('..')) {
    lines.push(`  Database   ${databaseHome}`)
    lines.push(`             (outside the data directory, which the database user cannot reach)`)
  }
  if (ca) lines.push(`  CA         ${ca}`)
  const firstRun = join(dataDirectory, 'first-run.json')
  const written = readFirstRun(firstRun)
  lines.push(hasConsole ? `  Console    ${baseUrl}/` : `  Sign in    ${baseUrl}${LOGIN_PATH}`)
  if (!written) {
    lines.push(`             (keys and passwords are in the first-run.json of the host that created this database)`)
    return `${lines.join('\n')}\n\n`
  }
  const key = `$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).home.key' ${quoted(firstRun)})`
  lines.push(
    `             ${hasConsole ? 'sign in ' : ''}as ${written.home.email}; its password and key are under "home" in`,
    `             ${firstRun}`,
    ...(ca ? [`             (browsers warn about the certificate until they trust the CA)`] : []),
    ``,
    `Try it:`,
    ``,
    `  curl${ca ? ` --cacert ${quoted(ca)}` : ''} -H "Authorization: Bearer ${key}" \\`,
    `    ${baseUrl}/v1/projects`,
  )
  return `${lines.join('\n')}\n\n`
}

/** Quoted for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
