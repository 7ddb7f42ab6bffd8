// Checks the answers of a test host against their declarations.
import { appendFileSync } from 'node:fs'
import { HOST_FAULTS } from '../src/host/faults.ts'
import type { HostOptions } from '../src/host/host.ts'
import { EventStream, Reply } from '../src/kit/answer.ts'
import { compileCheck } from '../src/kit/check.ts'
import type { Operation } from '../src/kit/operation.ts'

const outputChecks = new WeakMap<object, ReturnType<typeof compileCheck>>()

/** Checks an answer against its declaration, and appends faults to the file that `tools/test.ts` reads. */
export const checkOutcome = (
  id: string,
  operation: Operation,
  outcome: Parameters<NonNullable<HostOptions['inspect']>>[2],
  violations: string[],
) => {
  if ('fault' in outcome) {
    const { code, cause } = outcome.fault
    const record = process.env.STOA_TEST_FAULTS
    if (record) appendFileSync(record, `${id} ${code}\n`)
    if (!operation.faults.includes(code) && !HOST_FAULTS.includes(code))
      violations.push(`${id} raised ${code}: ${cause}`)
  } else {
    const problem = answerProblem(operation, outcome.output)
    if (problem) violations.push(`${id} ${problem}`)
  }
}

/** How an answer differs from its declaration; null if it does not. */
function answerProblem({ answer }: Operation, output: unknown): string | null {
  if (answer.kind === 'nothing') return output === undefined ? null : 'declares no output but answered with one'
  if (answer.kind === 'reply') return output instanceof Reply ? null : 'declares a reply but answered with a value'
  if (output instanceof EventStream) return answer.chunk ? null : 'answered with an event stream but declares none'
  if (!answer.value) return 'answered with a value but declares none'
  const check = outputChecks.get(answer.value) ?? compileCheck(answer.value)
  outputChecks.set(answer.value, check)
  return check.passes(output) ? null : JSON.stringify(check.faults(output))
}
