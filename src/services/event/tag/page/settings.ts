// What the script element says, and what the tag never does: throw into the page.
export type Properties = Record<string, unknown>

const script = document.currentScript as HTMLScriptElement | null

export const setting = (name: string): string | null => script?.getAttribute(`data-${name}`) ?? null

export const key = setting('key')
/** The folder of the script, which is the address of events. Undefined without a script element. */
export const events = script?.src.replace(/\/tag\.js.*/, '')

/** For the developer of the page, with `data-debug`. */
export function note(...what: unknown[]): void {
  // biome-ignore lint/suspicious/noConsole: the only place where a page can show something to its developer
  if (setting('debug') !== null) console.warn('stoa:', ...what)
}

/** The same function, without exceptions. */
export const safe =
  <A extends unknown[], T>(work: (...args: A) => T) =>
  (...args: A): T | undefined => {
    try {
      return work(...args)
    } catch (error) {
      note(error)
    }
  }

export const listen = <E extends Event>(target: EventTarget, type: string, work: (event: E) => void): void =>
  target.addEventListener(type, safe(work) as EventListener, true)
