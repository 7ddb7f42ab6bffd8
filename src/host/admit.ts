// Whether a caller may call an operation at all: rate, role, and what its key is limited to. Knows nothing of the door the
// call came through. Over HTTP it is decided before a byte of the body is read.
import { administers, isSuperadmin, type Principal } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import type { Access, Operation } from '../kit/operation.ts'
import { requireReach } from './limits.ts'
import type { Rates } from './rates.ts'

/** What the caller is told of its rate, whether it is admitted or not. */
export type RateStatus = { rate: string | null }

/** `reads` is whether the call only reads. */
export function admit(rates: Rates, operation: Operation, caller: Principal, reads: boolean, status: RateStatus): void {
  const { id, rate } = caller.credential
  if (rate !== null) status.rate = rates.consume(id, rate)
  requireKind(operation.access, caller)
  requireRole(operation.access, caller)
  requireReach(operation, reads, caller)
}

/** Whoever identified the caller for something else must not call this with it. */
function requireKind(access: Access, { user, workspace }: Principal): void {
  const fits = user !== null || access === 'ingest' || (access === 'reader' && workspace !== null)
  if (!fits) throw new Fault('forbidden', { message: 'This credential stands for no person, and may not do this.' })
}

function requireRole(access: Access, caller: Principal): void {
  if (access === 'admin' && !administers(caller)) {
    throw new Fault('forbidden', { message: 'Only an owner or admin of the organisation may do this.' })
  }
  if (access === 'superadmin' && !isSuperadmin(caller)) {
    throw new Fault('forbidden', { message: 'Only the operators of this platform may do this.' })
  }
}
