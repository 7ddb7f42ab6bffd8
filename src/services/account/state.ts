// The in-memory state of the account service: the cache of resolved credentials.

import type { SignIn } from '../../kit/host/sign-in.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { idempotencyRecords } from './idempotency-records.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { leasePermits } from './rates.store.ts'
import { requireBudget } from './spending.ts'

export type Account = {
  keyring: Keyring
  /** The service names that a key's limits may contain. */
  services: ReadonlySet<string>
  signIn: SignIn
  /** Of all amounts: an ISO 4217 code. */
  currency: string
}

export const { operation, schedule } = serviceKit<Account>()

type AccountSettings = { STOA_REFUSED_PER_MINUTE: number; STOA_CURRENCY: string }

export async function openAccount(opening: Opening<AccountSettings>): Promise<Opened<Account>> {
  const { engines, services, settings, identity, warn } = opening
  const refusedPerMinute = settings.STOA_REFUSED_PER_MINUTE
  const keyring = await openKeyring({ ...engines, warn, verifyToken: identity.verifyToken, refusedPerMinute })
  const thisProcess = engines.random.token(8)
  return {
    state: { keyring, services, signIn: identity.signIn, currency: settings.STOA_CURRENCY },
    provides: {
      credentials: keyring,
      requireBudget: (db, caller) => requireBudget({ db, clock: engines.clock }, caller),
      idempotencyRecords,
      leasePermits: request => leasePermits(engines.db.for(request.org).autocommit, thisProcess, request),
    },
    close: keyring.flush,
  }
}
