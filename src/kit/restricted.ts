// What a credential may not do that somebody else may use.
import type { Principal } from './caller.ts'
import { Fault } from './fault.ts'

/** Refuses a restricted credential. It may end itself, but nothing else of its person. */
export function requireUnrestricted({ credential }: Principal): void {
  if (!credential.isRestricted) return
  throw new Fault('forbidden', {
    message: 'The token of an app that is not trusted may not do this, nor a person whose password an admin chose.',
  })
}
