// Runs one operation for one caller: the single path that every door takes.
import type { Engines } from '../engines/engines.ts'
import type { AuditTrail } from '../kit/audit.ts'
import type { Caller } from '../kit/caller.ts'
import { invalidInput } from '../kit/check.ts'
import type { Context, Operation, RequestFacts } from '../kit/operation.ts'

export type CallOptions = { engines: Engines; audit: AuditTrail }

export function call(
  { engines, audit }: CallOptions,
  operation: Operation,
  caller: Caller | null,
  request: RequestFacts,
  input: unknown,
): unknown {
  if (!operation.check.passes(input)) throw invalidInput(operation.check.faults(input))
  const run = operation.run as (context: Context, input: unknown) => unknown
  const context = { ...engines, caller, request } as Context
  const recorded = operation.audit
  if (!recorded || !caller) return run(context, input)

  const on = recorded.on(input as never)
  return engines.db.transaction(async db => {
    const output = await run({ ...context, db }, input)
    const at = engines.clock.now().toISOString()
    await audit(db, { caller, what: recorded.what, on, at, ip: request.ip, requestId: request.id })
    return output
  })
}
