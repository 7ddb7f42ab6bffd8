// The size of the lists of tools, in bytes and in tokens (o200k): `node tools/launch.mjs bench/tool-lists.ts`.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sectionsOf } from '../src/host/host.ts'
import { services } from '../src/services/index.ts'
import { isWithheld } from '../src/services/mcp/tools.ts'
import { openViews, type ViewQuery } from '../src/services/mcp/views.ts'
import { installPackages } from '../test/packages.ts'

const { directory, skip } = installPackages(new URL('../test/mcp/', import.meta.url))
if (skip) throw new Error(skip)
const tokenizer = join(directory, 'node_modules/gpt-tokenizer/esm/encoding/o200k_base.js')
const { encode } = (await import(pathToFileURL(tokenizer).href)) as { encode: (text: string) => number[] }

const operations = new Map(sectionsOf(services).flatMap(section => Object.entries(section.operations)))
const views = openViews(operations)
const named = [...operations.values()].filter(one => !isWithheld(one)).map(({ service }) => service)
const withTools = [...new Set(named)].filter(name => name !== '')
const queries: ViewQuery[] = [{}, { readOnly: '1' }, { tools: 'find' }, ...withTools.map(service => ({ service }))]
for (const query of queries) {
  const { list } = views(query)
  const { tools } = JSON.parse(list) as { tools: unknown[] }
  const address = `/v1/mcp?${new URLSearchParams(query as Record<string, string>)}`.replace(/\?$/, '')
  process.stdout.write(`${address}: ${tools.length} tools, ${list.length} bytes, ${encode(list).length} tokens\n`)
}
