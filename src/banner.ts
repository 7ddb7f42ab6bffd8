import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'

export type BannerFacts = {
  baseUrl: string
  metricsUrl: string
  dataDirectory: string
  /** Null when the certificate was given, and the client's own trust store has to do. */
  ca: string | null
  databaseHome: string | null
}

/** What a person needs after a start, ending with a command that works when pasted. */
export function banner({ baseUrl, metricsUrl, dataDirectory, ca, databaseHome }: BannerFacts): string {
  const firstRun = join(dataDirectory, 'first-run.json')
  const lines = [`Stoa is up.`, ``, `  API        ${baseUrl}/v1`, `  Metrics    ${metricsUrl}/metrics`]
  lines.push(`  Data       ${dataDirectory}`)
  if (databaseHome && relative(dataDirectory, databaseHome).startsWith('..')) {
    lines.push(`  Database   ${databaseHome}`)
    lines.push(`             (not below the data directory, which the database's own user cannot reach)`)
  }
  if (ca) lines.push(`  CA         ${ca}`)
  if (!existsSync(firstRun)) return `${lines.join('\n')}\n`
  const read = `node -p 'JSON.parse(fs.readFileSync("${firstRun}")).home.key'`
  lines.push(
    `  Sign in    keys and passwords of the first two organisations are in`,
    `             ${firstRun}`,
    ``,
    `Try it:`,
    ``,
    `  curl${ca ? ` --cacert ${ca}` : ''} -H "Authorization: Bearer $(${read})" \\`,
    `    ${baseUrl}/v1/projects`,
  )
  return `${lines.join('\n')}\n\n`
}
