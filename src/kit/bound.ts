// Bounds on how many of something an organisation may have. They are settings, far above ordinary use, and keep one
// organisation from filling the database.
import { Fault } from './fault.ts'

/** To be called with the number counted in the transaction that added one, under a lock. `what` is a plural. */
export function requireAtMost(max: number, count: number, what: string, remedy: string): void {
  if (count <= max) return
  throw new Fault('conflict', { message: `An organisation can have at most ${max} ${what}. ${remedy}` })
}
