// The generated files, by path.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openapiDocument, type Section } from '../../src/host/openapi.ts'
import type { Settings } from '../../src/kit/setting.ts'
import { clientText } from './client.ts'
import { compiled } from './compile.ts'
import { eventsText } from './events.ts'
import { noticesText } from './notices.ts'
import { referenceText } from './reference.ts'
import { rolesText } from './roles.ts'
import { withSettingsTable } from './settings.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY']

export function generatedFiles(sections: readonly Section[]) {
  const readable = sections.map(inReadingOrder).filter(({ operations }) => Object.keys(operations).length > 0)
  return {
    'docs/api/openapi.json': `${JSON.stringify(openapiDocument(sections), null, 2)}\n`,
    'docs/api/reference.md': referenceText(readable),
    'docs/api/roles.md': rolesText(readable),
    'docs/EVENTS.md': eventsText(sections),
    'client/stoa.ts': clientText(readable),
  }
}

/** The files derived from the generated client, for its package. */
export function packageFiles(client: string): Record<string, string> {
  const { js, declarations } = compiled(client)
  const license = readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8')
  return { 'client/stoa.js': js, 'client/stoa.d.ts': declarations, 'client/LICENSE': license }
}

/** Pages that are not derived from operations. Of `OPERATIONS.md`, only the table is generated. */
export function pageFiles(settings: Settings): Record<string, string> {
  const page = readFileSync(new URL('../../docs/OPERATIONS.md', import.meta.url), 'utf8')
  return {
    'docs/OPERATIONS.md': withSettingsTable(page, settings),
    'THIRD-PARTY.md': noticesText(fileURLToPath(new URL('../..', import.meta.url))),
  }
}

/** Sorts by path, then by method. Modules list their exports alphabetically. */
function inReadingOrder(section: Section): Section {
  const entries = Object.entries(section.operations).sort(
    ([, a], [, b]) => compare(a.path, b.path) || METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
  )
  return { ...section, operations: Object.fromEntries(entries) }
}

/** By code unit, so that the order does not depend on the locale. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
