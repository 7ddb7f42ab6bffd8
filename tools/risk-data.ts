// Parses a directory of real source files as the risk service does, and prints the result of each. Run manually:
// `node tools/launch.mjs tools/risk-data.ts <directory>`. The directory must contain a manifest.json that lists each
// file with its role and its number of entries.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { CATALOGUE } from '../src/services/risk/catalogue.ts'
import { parse } from '../src/services/risk/thread/jobs.ts'

type Listed = { file: string; role: string; entries?: number }

/** The source that parses a file, by file name. */
const SOURCES: [name: RegExp, source: string][] = [
  [/^disposable-email-domains\./, 'disposable'],
  [/^disposable\./, 'disposable-mit'],
  [/^(aws|gcp|oracle|digitalocean|linode|fastly)\./, '$1'],
  [/^cloudflare(-v4)?\./, 'cloudflare4'],
  [/^cloudflare-v6\./, 'cloudflare6'],
  [/^tor/, 'tor'],
  [/^apple-private-relay/, 'relay'],
  [/^x4bnet\.vpn\.ipv4/, 'x4bnet-vpn'],
  [/^x4bnet\.vpn\.ipv6/, 'x4bnet-vpn6'],
  [/^x4bnet\.datacenter\.ASN/, 'x4bnet-hosting'],
  [/^crawler-user-agents/, 'patterns'],
  [/^top-user-agents/, 'top-agents'],
  [/^lord-alfred\..*zero/, 'x4bnet-vpn'],
]

function sourceFor(file: string): string | null {
  if (file.includes('/lord-alfred/')) return null // Lists of the same network operators in another format.
  const name = basename(file)
  const [pattern, source] = SOURCES.find(([known]) => known.test(name)) ?? []
  if (!pattern || !source) return null
  const found = source.startsWith('$') ? (name.match(pattern)?.[1] ?? '') : source
  return CATALOGUE.some(({ sources }) => sources.some(one => one.source === found)) ? found : null
}

const directory = process.argv[2]
if (!directory) throw new Error('Usage: tools/risk-data.ts <directory>')
const { files } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as { files: Listed[] }
let skipped = 0
for (const { file, role, entries } of files) {
  const source = sourceFor(file)
  if (source === null) {
    skipped++
    continue
  }
  const bytes = readFileSync(join(directory, file))
  const document = file.endsWith('.gz') ? gunzipSync(bytes) : bytes
  const parsed = parse({ source, document, encoding: null })
  const outcome = 'refusal' in parsed ? `refused: ${parsed.refusal}` : `${parsed.keys} members`
  process.stdout.write(
    `${role.padEnd(8)} ${source.padEnd(15)} ${String(entries ?? '').padStart(7)}  ${outcome}  (${file})\n`,
  )
}
process.stdout.write(`${skipped} files skipped: their source is not in the catalogue\n`)
