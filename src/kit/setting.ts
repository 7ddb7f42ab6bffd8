// Settings, each with a line of documentation and a parser. Services declare their own; only `config.ts` reads the
// environment.

/** An error that the operator can correct; printed as one line without a stack trace. */
export class StartRefused extends Error {}

/** `doc` is the line in `--help` and docs/OPERATIONS.md, in Markdown; `more` is added only on that page. */
export type Setting<T> = { doc: string; fallback: string; read: (text: string) => T; more: string }
export type Settings = Record<string, Setting<unknown>>
export type SettingValues<S extends Settings> = { [Name in keyof S]: ReturnType<S[Name]['read']> }

/** A `fallback` that contains `<` describes the default; the parser then gets an empty text. */
export const setting = <T>(doc: string, fallback: string, read: (text: string) => T, more = ''): Setting<T> => ({
  doc,
  fallback,
  read,
  more,
})

export function optional<T>(read: (text: string) => T): (text: string) => T | null {
  return text => (text === '' ? null : read(text))
}

export function count(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new Error('must be a whole number from 1 to 99999999')
  return Number(text)
}

export function oneOf<const T extends string>(values: readonly T[]): (text: string) => T {
  return text => {
    const value = values.find(one => one === text)
    if (value === undefined) throw new Error(`must be ${values.join(' or ')}`)
    return value
  }
}

export function readUrl(text: string, protocols: string[]): URL {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new Error(`must be a URL with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`)
  }
  return new URL(text)
}
