// The table of settings in docs/OPERATIONS.md, from their declarations.
import type { Setting, Settings } from '../../src/kit/setting.ts'
import { row } from './row.ts'

const BEGIN = '<!-- GENERATED from the declarations by `npm run generate`; do not edit this table. -->'
const END = '<!-- End of the generated table. -->'

/** The page with its table replaced by the current one. */
export function withSettingsTable(page: string, settings: Settings): string {
  const [before, rest, ...others] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (after === undefined || others.length > 0) throw new Error(`the page must have ${BEGIN} once, and ${END} after it`)
  return `${before}${BEGIN}\n\n${settingsTable(settings)}\n\n${END}${after}`
}

const settingsTable = (settings: Settings): string =>
  ['| setting | default | meaning |', '|---|---|---|', ...Object.entries(settings).map(settingRow)].join('\n')

const settingRow = ([name, { doc, fallback, more }]: [string, Setting<unknown>]): string =>
  row([`\`${name}\``, defaultText(fallback), more ? `${doc}. ${more}` : doc])

/** `<the system's>` is entirely a description; in `<data>/root.key` a part is a placeholder. */
function defaultText(fallback: string): string {
  const [, described] = fallback.match(/^<([^<>]*)>$/) ?? []
  return described ?? (fallback && `\`${fallback}\``)
}
