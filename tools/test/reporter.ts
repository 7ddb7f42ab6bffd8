// Writes the outcome of every test as a line of JSON.
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { Outcome } from './run.ts'

/** The limit of an error's text; nobody reads more. */
const TEXT_MAX = 8_000

// biome-ignore lint/style/noDefaultExport: Node takes the default export of a reporter
export default async function* record(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** The names of the tests that have started and not ended: the file, its suites, the test. */
  let path: string[] = []
  const line = (outcome: Outcome) => `${JSON.stringify(outcome)}\n`
  for await (const { type, data } of source) {
    if (type === 'test:start') path = [...path.slice(0, data.nesting), data.name]
    if (type === 'test:pass')
      yield line({ path: [...path.slice(0, data.nesting), data.name], ms: data.details.duration_ms })
    if (type === 'test:fail') {
      const { duration_ms: ms, error } = data.details
      const { failureType } = error as { failureType?: string }
      const text = inspect(error.cause ?? error).slice(0, TEXT_MAX)
      yield line({
        path: [...path.slice(0, data.nesting), data.name],
        ms,
        error: failureType === 'subtestsFailed' ? '' : text,
      })
    }
  }
}
