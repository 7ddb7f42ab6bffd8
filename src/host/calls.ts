// The `calls` of operations that call other operations: identify, admit and invoke as over HTTP, with a log line
// and metrics for each call.
import { Readable } from 'node:stream'
import { clientNetwork } from '../fair/address.ts'
import type { Turns } from '../fair/turns.ts'
import { Reply } from '../kit/answer.ts'
import type { Principal } from '../kit/caller.ts'
import { invalidField } from '../kit/check.ts'
import { Fault } from '../kit/fault.ts'
import type { Calls, Operation, RequestFacts } from '../kit/operation.ts'
import { admit, requirePermitted } from './admit.ts'
import type { Inspect } from './answer.ts'
import { NO_BODY } from './body.ts'
import { bodyTooLarge, faultFor } from './faults.ts'
import { credentialRequired, type IdentifyOptions, identify, identifyAny } from './identify.ts'
import { type InvokeOptions, invoke } from './invoke.ts'
import type { Log } from './log.ts'
import { readsOnly } from './presented.ts'
import type { Rates } from './rates.ts'
import { type Refusals, reportFault } from './refusals.ts'
import type { Route } from './scope.ts'

export type CallsOptions = IdentifyOptions &
  Omit<InvokeOptions, 'calls'> & {
    rates: Rates
    turns: Turns
    log: Log
    refusals: Refusals
    routes: ReadonlyMap<string, Route>
    inspect?: Inspect
  }

/** Bodies of kind `bytes`, `parsed` and `stream` must be supplied by the calling operation. */
function requireBody({ bodyKind, bodyLimit }: Operation, input: Record<string, unknown>): void {
  if (typeof input !== 'object' || input === null) throw invalidField('input', 'must be an object')
  const { body } = input as { body?: { bytes?: unknown } | null }
  const bytes = bodyKind === 'parsed' ? body?.bytes : body
  if (bytes instanceof Uint8Array && bytes.length > bodyLimit) throw bodyTooLarge(bodyLimit)
  const fits = bodyKind === 'stream' ? body instanceof Readable : bytes instanceof Uint8Array
  if (!fits && bodyKind !== 'json' && bodyKind !== 'none') throw invalidField('body', 'is required')
}

type TurnOf = (caller: Principal | null, request: RequestFacts) => Promise<void> | null

/** The first call runs in the request's turn, each further one waits for its own turn: one request with many calls must
 *  not delay others more than many requests would. */
function turnsOfCalls(turns: Turns): TurnOf {
  const begun = new WeakSet<RequestFacts>()
  return (caller, request) => {
    if (begun.has(request)) {
      return new Promise(start => turns(caller ? caller.org : clientNetwork(request.ip), start))
    }
    begun.add(request)
    return null
  }
}

type CallerOf = (operation: Operation) => Principal | null | Promise<Principal | null>

export function openCalls(options: CallsOptions): Calls {
  const { routes, rates, log, inspect } = options
  const turnOf = turnsOfCalls(options.turns)
  const run = async (
    id: string,
    callerOf: CallerOf,
    input: Record<string, unknown>,
    request: RequestFacts,
  ): Promise<unknown> => {
    const route = routes.get(id)
    if (!route) throw new Fault('not_found', { message: `No operation is named ${id.slice(0, 100)}.` })
    const { operation } = route
    let caller: Principal | null = null
    const method = operation.method === 'ANY' ? request.method : operation.method
    const startedMs = performance.now()
    const report = (status: number) => {
      const ms = performance.now() - startedMs
      route.observe(method, status, ms / 1000)
      log.request({ id: request.id, operation: id, method, status, ms, ip: request.ip, caller })
    }
    try {
      requireBody(operation, input)
      const known = await callerOf(operation)
      await turnOf(known, request)
      caller = operation.access === 'public' ? null : known
      if (caller === null && operation.access !== 'public') throw credentialRequired()
      if (caller !== null) await admit(rates, operation, caller, readsOnly(operation, method), { rate: null })
      const { reader } = operation
      const sent = (input.body as Buffer | undefined) ?? NO_BODY
      const read = reader ? { ...input, body: reader(sent, request, sent.length) } : input
      const output = await invoke({ ...options, calls }, operation, caller, read, request)
      inspect?.(id, operation, { output })
      report(output instanceof Reply ? output.status : operation.status)
      return output
    } catch (error) {
      const fault = faultFor(error)
      inspect?.(id, operation, { fault })
      reportFault(options, fault, request.id, id)
      report(fault.status)
      throw fault
    }
  }
  const calls: Calls = {
    operations: new Map([...routes].map(([id, { operation }]) => [id, operation])),
    identify: async (operation, presented) => {
      try {
        return await identify(options, operation, presented)
      } catch (error) {
        throw faultFor(error)
      }
    },
    identifyAny: async presented => {
      try {
        return await identifyAny(options, presented)
      } catch (error) {
        throw faultFor(error)
      }
    },
    refusalOf: (operation, caller) => {
      if (operation.access === 'public') return null
      try {
        requirePermitted(operation, caller, readsOnly(operation, operation.method))
        return null
      } catch (error) {
        return faultFor(error)
      }
    },
    call: (id, caller, input, request) => run(id, () => caller, input, request),
    callAs: (id, presented, input, request) =>
      run(
        id,
        operation =>
          operation.access === 'public' ? identifyAny(options, presented) : identify(options, operation, presented),
        input,
        request,
      ),
  }
  return calls
}
