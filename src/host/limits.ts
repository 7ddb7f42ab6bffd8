// What a key may not do, decided on the operation that was matched and never on the text of the URL.
import { isLimited, type Principal } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import { SLUG } from '../kit/fields.ts'
import { type Limits, reaches } from '../kit/limits.ts'
import type { Operation } from '../kit/operation.ts'
import { malformed } from './faults.ts'

/** Before the input is known: which service, whether it is read or written, and whether keys are made there. */
export function requireReach(
  { service, issuesCredential, endsCredential }: Operation,
  reads: boolean,
  { credential }: Principal,
): void {
  if (issuesCredential && isLimited(credential)) {
    throw limited('This key is limited, so it may not create or change keys; use one without limit, budget and rate')
  }
  const { limits } = credential
  if (!limits || endsCredential || reaches(limits, service, reads)) return
  const readable = reaches(limits, service, true)
  const what = readable ? `may only read the ${service} service (GET, HEAD)` : `may not use the ${service} service`
  throw limited(`This key ${what}; it is limited to ${listOf(limits, 'product', 'read')}`)
}

/** Once the input is known: which project. Answers the caller as acting in it. */
export function inProject(
  { project, endsCredential }: Operation,
  caller: Principal,
  input: Record<string, unknown>,
  header: string | string[] | undefined,
): Principal {
  const { limits } = caller.credential
  const held = limits?.project ?? null
  if (project === null) {
    if (!held || endsCredential) return caller
    throw limited(`This key may not act on the whole organisation; it is limited to ${listOf(limits, 'project')}`)
  }
  const named = project === 'chosen' ? chosen(header) : String(input[project])
  if (named === null) {
    if (!held || caller.project !== null) return caller
    throw limited(`Name the project in X-Project-Id; this key is limited to ${listOf(limits, 'project')}`)
  }
  if (held && !held.has(named)) {
    throw limited(
      `This key may not act in the project ${named.slice(0, 60)}; it is limited to ${listOf(limits, 'project')}`,
    )
  }
  return caller.project === named ? caller : { ...caller, project: named }
}

/** And which model. */
export function requireModel(
  { model }: Pick<Operation, 'model'>,
  { credential }: Principal,
  input: Record<string, unknown>,
): void {
  const allowed = model === null ? null : credential.limits?.model
  if (!allowed) return
  const named = input[model as string]
  if (typeof named === 'string' && allowed.has(named)) return
  const which = typeof named === 'string' ? `the model ${named.slice(0, 60)}` : 'what names no model'
  throw limited(`This key may not call ${which}; it is limited to ${listOf(credential.limits, 'model')}`)
}

function chosen(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && SLUG.test(header)) return header
  throw malformed("X-Project-Id must be one project's slug.")
}

const ENTRIES_SHOWN_MAX = 5

function listOf(limits: Limits | null, ...kinds: (keyof Limits)[]): string {
  const entries = kinds.flatMap(kind => [...(limits?.[kind] ?? [])].map(name => `${kind}:${name}`))
  const rest = entries.length - ENTRIES_SHOWN_MAX
  return entries.slice(0, ENTRIES_SHOWN_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

const limited = (message: string) => new Fault('key_limit', { message: `${message}.` })
