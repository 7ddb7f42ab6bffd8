// Runs one operation for one caller: the single path that every door takes.
import type { Engines } from '../engines/engines.ts'
import { type AuditTrail, Unchanged } from '../kit/audit.ts'
import { type Caller, PLATFORM_ORG, type Writer } from '../kit/caller.ts'
import { invalidInput } from '../kit/check.ts'
import type { Context, Operation, RequestFacts } from '../kit/operation.ts'
import type { SignIn } from '../kit/sign-in.ts'
import { inProject } from './limits.ts'
import type { Turns } from './turns.ts'

export type CallOptions = {
  engines: Engines
  audit: AuditTrail
  turns: Turns
  serviceNames: ReadonlySet<string>
  /** What each service opened, by its name. */
  states: ReadonlyMap<string, unknown>
  signIn: () => SignIn
}

export function call(
  { engines, audit, turns, serviceNames, states, signIn }: CallOptions,
  operation: Operation,
  caller: Writer | null,
  request: RequestFacts,
  input: Record<string, unknown>,
): unknown {
  if (!operation.check.passes(input)) throw invalidInput(operation.check.faults(input))
  const acting = caller && inProject(operation, caller, input, request.headers['x-project-id'])
  const context = {
    ...engines,
    caller: acting,
    request,
    services: serviceNames,
    signIn,
    state: states.get(operation.service),
  } as Context
  if (!operation.prepare && !operation.inTurns) return perform(audit, operation, context, input, undefined)
  return performLater(audit, turns, operation, context, input)
}

async function performLater(
  audit: AuditTrail,
  turns: Turns,
  operation: Operation,
  context: Context,
  input: Record<string, unknown>,
): Promise<unknown> {
  const prepare = operation.prepare as ((context: Context, input: unknown) => Promise<unknown>) | null
  const prepared = await prepare?.(context, input)
  if (!operation.inTurns) return perform(audit, operation, context, input, prepared)
  return turns.take(`${operation.path} ${context.caller?.org}`, async () => {
    context.request.signal.throwIfAborted()
    return perform(audit, operation, context, input, prepared)
  })
}

function perform(
  audit: AuditTrail,
  operation: Operation,
  context: Context,
  input: Record<string, unknown>,
  prepared: unknown,
): unknown {
  const run = operation.run as (context: Context, input: unknown, prepared: unknown) => unknown
  const recorded = operation.audit
  const caller = context.caller as Caller | null
  if (!recorded || !caller) return run(context, input, prepared)

  const written = context.db.transaction(async db => {
    const output = await run({ ...context, db }, input, prepared)
    if (output instanceof Unchanged) return output.output
    const { ip, id: requestId } = context.request
    const on = recorded.on(input as never, output as never)
    const org = recorded.trail === 'platform' ? PLATFORM_ORG : caller.org
    await audit(db, { org, caller, what: recorded.what, on, at: context.clock.now().toISOString(), ip, requestId })
    return output
  })
  // What was remembered of a caller whose key, role or session this changed is forgotten before anybody is told.
  return written.then(output => context.db.caughtUp().then(() => output))
}
