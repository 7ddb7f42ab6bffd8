// What a credential that somebody else may be able to use must not do.
import type { Principal } from './caller.ts'
import { Fault } from './fault.ts'

/** Refuses a restricted credential. It may end itself, but nothing else of its person. */
export function requireUnrestricted({ credential }: Principal): void {
  if (!credential.isRestricted) return
  throw new Fault('forbidden', {
    message:
      'This is not allowed with the token of an app that is not trusted, nor for a person whose password an admin chose.',
  })
}
