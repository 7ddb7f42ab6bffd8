// Checks the answers and the events of a test host against their declarations.
import { appendFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import type { Envelope, Log } from '../src/engines/engines.ts'
import { HOST_FAULTS } from '../src/host/faults.ts'
import type { HostOptions } from '../src/host/host.ts'
import { EventStream, JsonText, Reply } from '../src/kit/answer.ts'
import { compileCheck } from '../src/kit/check.ts'
import { eventsOf } from '../src/kit/events.ts'
import type { Operation } from '../src/kit/operation.ts'
import type { Service } from '../src/kit/service.ts'

const checks = new WeakMap<object, ReturnType<typeof compileCheck>>()

/** Checks an answer against its declaration, and appends faults to the file that `tools/test.ts` reads. */
export const checkOutcome = (
  id: string,
  operation: Operation,
  outcome: Parameters<NonNullable<HostOptions['inspect']>>[2],
  violations: string[],
) => {
  if ('fault' in outcome) {
    const { code, cause, message } = outcome.fault
    recordOnce(process.env.STOA_TEST_FAULTS, `${id} ${code}`)
    const isOfHost = HOST_FAULTS.includes(code) && (code !== 'not_found' || message.includes('X-Project-Id'))
    if (!operation.faults.includes(code) && !isOfHost) violations.push(`${id} raised ${code}: ${cause}`)
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
  if (output instanceof Reply)
    return answer.kind === 'either' || answer.media ? null : 'answered with a reply but declares none'
  if (!answer.value) return 'answered with a value but declares none'
  return problemOf(answer.value, output instanceof JsonText ? JSON.parse(output.text) : output)
}

/** How a value differs from its schema; null if it does not. */
function problemOf(schema: TSchema, value: unknown): string | null {
  const check = checks.get(schema) ?? compileCheck(schema)
  checks.set(schema, check)
  return check.passes(value) ? null : JSON.stringify(check.faults(value))
}

const familyOf = (subject: string) => subject.split('.', 1)[0] as string

const recorded = new Set<string>()
/** Appends a line to a file that `tools/test.ts` reads. */
function recordOnce(file: string | undefined, line: string): void {
  if (file && !recorded.has(line)) appendFileSync(file, `${line}\n`)
  recorded.add(line)
}

/** Adds what is appended to `emitted`, checks it against its declaration, and appends its subject to the file that
 *  `tools/test.ts` reads. Only families in which no subject is declared are free. */
export function checkedLog(log: Log, services: readonly Service[], emitted: Envelope[], violations: string[]): Log {
  const declared = eventsOf(services)
  const families = new Set([...declared.keys()].map(familyOf))
  const check = ({ type, data }: Envelope) => {
    recordOnce(process.env.STOA_TEST_EVENTS, type)
    const event = declared.get(type)
    if (event) {
      const problem = problemOf(event.schema, data)
      if (problem) violations.push(`${type} ${problem}`)
    } else if (families.has(familyOf(type))) violations.push(`${type} is not declared`)
  }
  return {
    ...log,
    append: async (tx, envelopes, ingested) => {
      for (const envelope of envelopes) check(envelope)
      emitted.push(...envelopes)
      await log.append(tx, envelopes, ingested)
    },
  }
}
