// Runs many small cases as one test and reports failed ones together, by name.
import { appendFileSync } from 'node:fs'

export type Case = readonly [name: string, run: () => void | Promise<void>]

export async function runCases(cases: readonly Case[]): Promise<void> {
  if (cases.length === 0) throw new Error('a table without cases tests nothing')
  const failures: { name: string; error: unknown }[] = []
  for (const [name, run] of cases) {
    try {
      await run()
    } catch (error) {
      failures.push({ name, error })
    }
  }
  const record = process.env.STOA_TEST_CASES
  if (record) appendFileSync(record, `${cases.length}\n`)
  if (failures.length === 0) return
  const texts = failures.map(({ name, error }) => `${name}: ${error instanceof Error ? error.message : String(error)}`)
  throw new Error(`${failures.length} of ${cases.length} cases failed:\n${texts.join('\n')}`, {
    cause: failures[0]?.error,
  })
}
