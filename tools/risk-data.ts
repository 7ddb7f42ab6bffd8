// Reads a directory of publishers' real files as the service would, and tells what came of each: by hand, with
// `node tools/launch.mjs tools/risk-data.ts <directory>`. The directory has a manifest.json that names for each file its
// publisher, its role and how many entries it has.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { CATALOGUE } from '../src/services/risk/catalogue.ts'
import { parse } from '../src/services/risk/thread/jobs.ts'

type Listed = { file: string; role: string; entries?: number }

/** Which source reads a file, by how the file is called. */
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
  if (file.includes('/lord-alfred/')) return null // Of the same operators, in a format of its own.
  const name = basename(file)
  const [pattern, source] = SOURCES.find(([known]) => known.test(name)) ?? []
  if (!pattern || !source) return null
  const found = source.startsWith('$') ? (name.match(pattern)?.[1] ?? '') : source
  return CATALOGUE.some(({ sources }) => sources.some(one => one.source === found)) ? found : null
}

const directory = process.argv[2]
if (!directory) throw new Error('Say where the files are: tools/risk-data.ts <directory>')
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
  const parsed = parse({ kind: 'parse', source, document, encoding: null })
  const outcome = 'refusal' in parsed ? `refused: ${parsed.refusal}` : `${parsed.keys} members`
  process.stdout.write(
    `${role.padEnd(8)} ${source.padEnd(15)} ${String(entries ?? '').padStart(7)}  ${outcome}  (${file})\n`,
  )
}
process.stdout.write(`${skipped} files of publishers that are not in the catalogue\n`)
