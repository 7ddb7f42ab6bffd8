// How operations are called, whichever door a call comes through. `identify` turns what was presented into the caller;
// `call` admits that caller (rate, role, limits) and invokes the operation (input checks, project, model and budget limits,
// run, log line, metrics). HTTP takes the same path; operations that are doors themselves (`door: true`) find it in their
// context.
import type { Principal } from './caller.ts'
import type { Access, Operation, RequestFacts } from './operation.ts'

/** What a request carries that may say who is calling. */
export type Presented = {
  /** The Authorization header, whole. */
  authorization?: string | undefined
  /** Where events come in: the key in its own header, or in the query. */
  ingestHeader?: string | undefined
  ingestParameter?: string | undefined
  cookie?: string | undefined
  csrfToken?: string | undefined
  /** Whether the request only reads. A browser session that writes needs the anti-CSRF token. */
  isSafe: boolean
}

export type Calls = {
  /** Every operation of this host, by its id. */
  operations: ReadonlyMap<string, Operation>
  /** Who is calling; null where anybody may. Raises the fault that says why not. */
  identify(access: Access, presented: Presented): Principal | null | Promise<Principal | null>
  /** Calls an operation. `input` is its one flat input. */
  call(id: string, caller: Principal | null, input: Record<string, unknown>, request: RequestFacts): Promise<unknown>
}
