import { join, relative } from 'node:path'
import { readFirstRun } from './first-run.ts'

export type BannerFacts = {
  baseUrl: string
  iamUrl: string
  metricsUrl: string
  dataDirectory: string
  /** Null when the certificate was given, and the client's own trust store has to do. */
  ca: string | null
  databaseHome: string | null
}

/** What a person needs after a start, ending with a command that works when pasted. */
export function banner({ baseUrl, iamUrl, metricsUrl, dataDirectory, ca, databaseHome }: BannerFacts): string {
  const lines = [`Stoa is up.`, ``, `  API        ${baseUrl}/v1`, `  Identity   ${iamUrl}`]
  lines.push(`  Metrics    ${metricsUrl}/metrics`)
  lines.push(`  Data       ${dataDirectory}`)
  if (databaseHome && relative(dataDirectory, databaseHome).startsWith('..')) {
    lines.push(`  Database   ${databaseHome}`)
    lines.push(`             (not below the data directory, which the database's own user cannot reach)`)
  }
  if (ca) lines.push(`  CA         ${ca}`)
  const firstRun = join(dataDirectory, 'first-run.json')
  if (!readFirstRun(firstRun)) {
    lines.push(
      `  Sign in    with the keys and passwords that the first start of this database wrote to its first-run.json`,
    )
    return `${lines.join('\n')}\n\n`
  }
  const key = `$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).home.key' ${quoted(firstRun)})`
  lines.push(
    `  Sign in    keys and passwords of the first two organisations are in`,
    `             ${firstRun}`,
    ``,
    `Try it:`,
    ``,
    `  curl${ca ? ` --cacert ${quoted(ca)}` : ''} -H "Authorization: Bearer ${key}" \\`,
    `    ${baseUrl}/v1/projects`,
  )
  return `${lines.join('\n')}\n\n`
}

/** As a shell reads it back, whatever is in the path. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
