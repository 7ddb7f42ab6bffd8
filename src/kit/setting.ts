// Settings: what the person who starts Stoa decides, each with a line of documentation and how its text is read. Those of one
// service are declared by it; `config.ts` alone reads the environment.

export type Setting<T> = { doc: string; fallback: string; read: (text: string) => T }
export type Settings = Record<string, Setting<unknown>>
export type SettingValues<S extends Settings> = { [Name in keyof S]: ReturnType<S[Name]['read']> }

export const setting = <T>(doc: string, fallback: string, read: (text: string) => T): Setting<T> => ({
  doc,
  fallback,
  read,
})

export function optional<T>(read: (text: string) => T): (text: string) => T | null {
  return text => (text === '' ? null : read(text))
}

export function readUrl(text: string, protocols: string[]): URL {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new Error(`must be a URL with ${protocols.map(one => `${one}//`).join(' or ')}`)
  }
  return new URL(text)
}
