// Whether an address belongs to a disposable mail provider, for the registration of customers.
import type { Clock } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { resolveAll } from './resolve.ts'
import { type Risk, requireSet } from './state.ts'

/** Null if the set cannot be consulted, or is stale: nobody is refused then. An override of the organisation always counts. */
export async function isDisposable(risk: Risk, clock: Clock, org: OrgId, email: string): Promise<boolean | null> {
  const overrides = await risk.overrideCache.get(org, ['domain'])
  const { answers } = await resolveAll([email], [requireSet(risk, 'domain')], true, overrides, clock)
  const [answer] = answers
  if (!answer || (answer.from !== 'override' && (answer.stale || answer.refusal !== undefined))) return null
  return answer.hit
}
