// Decides whether a caller may call an operation: rate, role and key limits. Works the same for HTTP and for calls between
// operations. Over HTTP it runs before the body is read.
import { administers, isCustomer, isSuperadmin, type Principal } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import type { Access, Operation } from '../kit/operation.ts'
import { requireService } from './limits.ts'
import type { Rates } from './rates.ts'

/** The RateLimit header of the answer, whether the call is admitted or not. */
export type RateStatus = { rate: string | null }

/** `reads`: whether the call only reads. Returns a promise if the database must be asked for the rate. */
export function admit(
  rates: Rates,
  operation: Operation,
  caller: Principal,
  reads: boolean,
  status: RateStatus,
): undefined | Promise<void> {
  const { id, rate } = caller.credential
  const counted = rate === null ? null : rates.consume(caller.org, id, rate)
  if (counted instanceof Promise) {
    return counted.then(header => {
      status.rate = header
      requirePermitted(operation, caller, reads)
    })
  }
  status.rate = counted
  requirePermitted(operation, caller, reads)
  return undefined
}

/** All checks except the rate. */
export function requirePermitted(operation: Operation, caller: Principal, reads: boolean): void {
  requireKind(operation.access, caller)
  if (isCustomer(caller)) {
    requireForCustomers(operation)
    return
  }
  if (caller.credential.isReadOnly && !reads) requireForApps(operation)
  if (operation.access === 'person') requirePerson(caller)
  requireRole(operation.access, caller)
  requireService(operation, reads, caller)
}

/** A caller that was identified for another kind of access may not call this operation. */
function requireKind(access: Access, { user, workspace }: Principal): void {
  const fits = user !== null || access === 'ingest' || (access === 'reader' && workspace !== null)
  if (!fits)
    throw new Fault('forbidden', { message: 'This credential does not belong to a person, so it may not do this.' })
}

/** Customers may only use their own account. */
function requireForCustomers({ admits }: Operation): void {
  if (admits.includes('users')) return
  throw new Fault('forbidden', {
    message:
      'This token belongs to a customer, who may only use their own account (/v1/iam/me). Use a key of the team.',
  })
}

/** Everything else an app does is done by its server, with a key. */
function requireForApps({ access, admits }: Operation): void {
  if (access === 'public' || access === 'ingest' || admits.includes('apps')) return
  throw new Fault('forbidden', {
    message:
      'The token of an app that is not trusted may only read, and send events. Use a key, or ask an owner to make the app trusted.',
  })
}

/** Keys are for programs, and other apps act for their organisation only. */
function requirePerson({ credential: { kind, isRestricted } }: Principal): void {
  if ((kind === 'session' || kind === 'token') && !isRestricted) return
  throw new Fault('forbidden', {
    message:
      'Only a signed-in person whose password is their own choice may do this, with a browser session or the token of a trusted app.',
  })
}

function requireRole(access: Access, caller: Principal): void {
  if (access === 'admin' && !administers(caller)) {
    throw new Fault('forbidden', { message: 'Only an owner or admin of the organisation may do this.' })
  }
  if (access === 'superadmin' && !isSuperadmin(caller)) {
    throw new Fault('forbidden', { message: 'Only superadmins, the members of the organisation `admin`, may do this.' })
  }
}
