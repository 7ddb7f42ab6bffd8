// Enforces the limits of a key, based on the matched operation, never on the text of the URL.
import { isLimited, type Principal } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import { SLUG } from '../kit/fields.ts'
import { type Limits, permitsService } from '../kit/host/limits.ts'
import type { Operation } from '../kit/operation.ts'
import { malformed } from './faults.ts'

/** Checks that need no input: the service, reading or writing, and whether the operation issues credentials. */
export function requireService(
  { service, issuesCredential, endsCredential }: Operation,
  reads: boolean,
  { credential }: Principal,
): void {
  if (issuesCredential && isLimited(credential)) {
    throw limited(
      'This key is limited, so it may not call this operation, which creates, changes or reveals credentials; use a key without limits, budget or rate',
    )
  }
  if (issuesCredential && credential.isRestricted) {
    throw new Fault('forbidden', {
      message:
        'This credential may not create, change or reveal credentials: it belongs to an app that is not trusted, or to a person whose password an admin chose. An owner can make the app trusted; the person can choose a password with `Forgot your password?` on the sign-in page.',
    })
  }
  const { limits } = credential
  if (!limits || endsCredential || permitsService(limits, service, reads)) return
  const readable = permitsService(limits, service, true)
  const what = readable ? `may only read the ${service} service (GET, HEAD)` : `may not use the ${service} service`
  throw limited(`This key ${what}; it is limited to ${listOf(limits, 'product', 'read')}`)
}

/** Checks the project named by the input or the header; `chosen` is that of the header. Returns the caller with the
 *  project it acts in. */
export function inProject(
  { project, endsCredential }: Operation,
  caller: Principal,
  input: Record<string, unknown>,
  chosen: string | null,
): Principal {
  const { limits } = caller.credential
  const permitted = limits?.project ?? null
  if (project === null) {
    if (!permitted || endsCredential) return caller
    throw limited(`This key may not act on the whole organisation; it is limited to ${listOf(limits, 'project')}`)
  }
  // A header that this operation ignores must be permitted too: the answer reveals whether the project exists.
  if (chosen !== null) requirePermitted(limits, chosen)
  const named = project === 'chosen' ? chosen : String(input[project])
  if (named === null) {
    if (!permitted || caller.project !== null) return caller
    throw limited(`Name the project in X-Project-Id; this key is limited to ${listOf(limits, 'project')}`)
  }
  requirePermitted(limits, named)
  return caller.project === named ? caller : { ...caller, project: named }
}

function requirePermitted(limits: Limits | null, project: string): void {
  if (!limits?.project || limits.project.has(project)) return
  throw limited(
    `This key may not act in the project ${project.slice(0, 60)}; it is limited to ${listOf(limits, 'project')}`,
  )
}

/** Checks the model named in the input. */
export function requireModel(
  { model }: Pick<Operation, 'model'>,
  { credential }: Principal,
  input: Record<string, unknown>,
): void {
  const allowed = model === null ? null : credential.limits?.model
  if (!allowed) return
  const named = input[model as string]
  if (typeof named === 'string' && allowed.has(named)) return
  const which = typeof named === 'string' ? `the model ${named.slice(0, 60)}` : 'an operation without naming a model'
  throw limited(`This key may not call ${which}; it is limited to ${listOf(credential.limits, 'model')}`)
}

/** The project named in the header X-Project-Id. */
export function projectHeader(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && SLUG.test(header)) return header
  throw malformed("X-Project-Id must be one project's slug.")
}

/** Also raised for projects of other organisations. */
export const noProject = (slug: string) =>
  new Fault('not_found', { message: `This organisation has no project ${slug}, as named in X-Project-Id.` })

const ENTRIES_SHOWN_MAX = 5

function listOf(limits: Limits | null, ...kinds: (keyof Limits)[]): string {
  const entries = kinds.flatMap(kind => [...(limits?.[kind] ?? [])].map(name => `${kind}:${name}`))
  const rest = entries.length - ENTRIES_SHOWN_MAX
  return entries.slice(0, ENTRIES_SHOWN_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

const limited = (message: string) => new Fault('key_limit', { message: `${message}.` })
