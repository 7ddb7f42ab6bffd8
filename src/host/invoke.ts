// Runs an operation for an admitted caller, for HTTP requests and for calls between operations. Checks the text and
// depth of the input, its schema, the key's projects and models, that the project exists, and the budget, in this order, before `run`.
import type { Database, Engines } from '../engines/engines.ts'
import { clientNetwork } from '../fair/address.ts'
import type { Principal } from '../kit/caller.ts'
import { invalidInput } from '../kit/check.ts'
import type { KeyedRequest } from '../kit/host/idempotency-records.ts'
import type { Meter } from '../kit/meter.ts'
import type { Calls, Operation, RequestFacts } from '../kit/operation.ts'
import type { OrgSettingsCache } from '../kit/org-settings/read.ts'
import type { Queues } from '../kit/queue.ts'
import type { Provided } from '../kit/service.ts'
import type { Bounds } from '../kit/table.ts'
import { type IdempotencyOptions, keyedRequest, once } from './idempotency.ts'
import { inProject, noProject, projectHeader, requireModel } from './limits.ts'
import { requireSafe } from './safe-input.ts'
import { type WriterOptions, writer } from './write.ts'

export type InvokeOptions = WriterOptions &
  IdempotencyOptions & {
    engines: Engines
    requireBudget: Provided['requireBudget']
    hasProject: Provided['hasProject']
    meter: Meter
    /** The state of each service, by name. */
    states: ReadonlyMap<string, unknown>
    jobs: Queues
    bounds: Bounds
    orgSettings: OrgSettingsCache
    /** For operations that call other operations. */
    calls: Calls
  }

export function invoke(
  options: InvokeOptions,
  operation: Operation,
  caller: Principal | null,
  input: Record<string, unknown>,
  request: RequestFacts,
): unknown {
  requireSafe(operation, input)
  if (!operation.check.passes(input)) throw invalidInput(operation.check.faults(input))
  if (caller === null) return invokeAs(options, operation, null, input, request)
  const chosen = projectHeader(request.headers['x-project-id'])
  const acting = inProject(operation, caller, input, chosen)
  requireModel(operation, acting, input)
  if (chosen === null) return invokeAs(options, operation, acting, input, request)
  const proceed = (isKnown: boolean) => {
    if (!isKnown) throw noProject(chosen)
    return invokeAs(options, operation, acting, input, request)
  }
  const known = options.hasProject(acting.org, chosen)
  return typeof known === 'boolean' ? proceed(known) : known.then(proceed)
}

function invokeAs(
  options: InvokeOptions,
  operation: Operation,
  acting: Principal | null,
  input: Record<string, unknown>,
  request: RequestFacts,
): unknown {
  const db = options.engines.db.for(acting ? acting.org : clientNetwork(request.ip))
  const keyed = keyedRequest(options, operation, acting, input, request)
  const run = () => operation.run(contextOf(options, operation, acting, request, db, keyed) as never, input as never)
  const admitted = () => admit(options, db, operation, acting, run)
  return keyed === null ? admitted() : once(options, db, operation, keyed, request.signal, admitted)
}

/** An operation that costs money runs if its key has budget left. That check, and every operation that shows usage,
 *  first waits until the organisation's earlier usage is settled. */
function admit(
  { meter, requireBudget }: InvokeOptions,
  db: Database,
  { metered, showsUsage }: Operation,
  caller: Principal | null,
  run: () => unknown,
): unknown {
  const isBudgeted = metered && caller?.credential.budget
  if (caller === null || !(showsUsage || isBudgeted)) return run()
  const check = isBudgeted ? () => requireBudget(db, caller).then(run) : run
  return meter.settled(caller.org).then(check)
}

function contextOf(
  options: InvokeOptions,
  operation: Operation,
  caller: Principal | null,
  request: RequestFacts,
  db: Database,
  keyed: KeyedRequest | null,
) {
  const { log, warehouse, http, dns, mail, clock, random, seal, passwords } = options.engines
  const state = options.states.get(operation.service)
  const write = writer(options, db, operation, caller, request, keyed)
  const calls = operation.callsOperations ? options.calls : undefined
  const meter = operation.metered ? options.meter : undefined
  // Listed one by one: spreading the engines would cost more than everything else here.
  return {
    db,
    log,
    warehouse,
    http,
    dns,
    mail,
    clock,
    random,
    seal,
    passwords,
    caller,
    request,
    state,
    write,
    queues: options.jobs,
    bounds: options.bounds,
    orgSettings: options.orgSettings,
    calls,
    meter,
    keyed: operation.metered ? keyed : undefined,
  }
}
