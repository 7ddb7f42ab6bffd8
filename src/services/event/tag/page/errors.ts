// Errors that nobody caught, in the form that the errors view reads.
import { cleanAddress } from './facts.ts'
import { listen, type Properties } from './settings.ts'

const TEXT_MAX = 1_000
const FRAMES_MAX = 50
/** An error in a loop is recorded this often, and only so many different ones. */
const ALIKE_MAX = 5
const KINDS_MAX = 50

/** As Chromium, and as Firefox and Safari write them. */
const FRAME = /^\s*(?:at (?:async )?(?:(.{1,200}?) \()?|(.{0,200}?)@)(\S{1,1000}?):(\d+):(\d+)\)?$/

type Thrown = { name?: unknown; message?: unknown; stack?: unknown; cause?: unknown } | null | undefined

const frameOf = (name: string | undefined, file: string, line: string | number, column: string | number) => ({
  function: name || undefined,
  filename: cleanAddress(file),
  lineno: Number(line),
  colno: Number(column),
})

/** The outermost call first. */
function framesIn(stack: unknown): object[] {
  const frames = String(stack ?? '')
    .split('\n', FRAMES_MAX + 2)
    .flatMap(line => {
      const [, v8, gecko, file, row, column] = FRAME.exec(line) ?? []
      return file ? [frameOf(v8 ?? gecko, file, row as string, column as string)] : []
    })
  return frames.reverse()
}

function exceptionOf(thrown: unknown, text: string, place: object[], mechanism: object) {
  const error = (typeof thrown === 'object' ? thrown : null) as Thrown
  const frames = framesIn(error?.stack)
  return {
    type: String(error?.name ?? 'Error').slice(0, TEXT_MAX),
    value: String(error ? (error.message ?? text) : (thrown ?? text)).slice(0, TEXT_MAX),
    mechanism,
    stacktrace: { frames: frames.length > 0 ? frames : place },
  }
}

export function recordErrors(capture: (event: string, properties: Properties) => void): void {
  const counts = new Map<string, number>()
  const record = (thrown: unknown, text: string, place: object[], type: string) => {
    const exception = exceptionOf(thrown, text, place, { type, handled: false })
    const kind = JSON.stringify([exception.type, exception.stacktrace.frames.at(-1) ?? exception.value])
    const count = counts.get(kind) ?? 0
    if (count === ALIKE_MAX || (count === 0 && counts.size === KINDS_MAX)) return
    counts.set(kind, count + 1)
    capture('$exception', { $exception_list: [exception] })
  }
  listen(window, 'error', (event: ErrorEvent) => {
    // Files that cannot be loaded have an event without these.
    const { error, message, filename, lineno, colno } = event
    if (!message && !error) return
    record(error, message, filename ? [frameOf(undefined, filename, lineno, colno)] : [], 'onerror')
  })
  listen(window, 'unhandledrejection', ({ reason }: PromiseRejectionEvent) =>
    record(reason, 'A promise was rejected', [], 'onunhandledrejection'),
  )
}
