// What the identity origin needs to sign customers in.
import type { Engines } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { Publishing } from '../../../kit/events.ts'
import { readOrgSettings } from '../../../kit/org-settings/read.ts'
import type { Bounds } from '../../../kit/table.ts'
import { selectOrgName } from '../orgs/store.ts'
import { iamSettings } from '../settings.ts'
import { type AskedMail, countCustomerMail } from './mail-limits.ts'
import {
  type CodeRequest,
  enterCode,
  findPending,
  requestCode,
  type SignedInCustomer,
  signInCustomer,
} from './sign-in.ts'
import * as store from './store.ts'

export type CustomerDirectory = ReturnType<typeof openCustomers>

/** `keys` has the secret of the brand. */
export function openCustomers(
  engines: Engines & Publishing & { bounds: Bounds },
  keys: () => Promise<{ cookieSecret: string }>,
) {
  const { db } = engines
  const withKey = async () => ({ ...engines, codeKey: (await keys()).cookieSecret })
  return {
    find: async (org: OrgId, email: string) => store.selectSignInAccount(db, org, email),
    nextPassword: (org: OrgId, email: string) => store.selectNextPassword(db, org, email),
    updateHash: (org: OrgId, user: string, before: string, after: string) =>
      store.updateHash(db.autocommit, org, user, before, after),
    branding: async (org: OrgId) => {
      const [{ logo, color }, name] = await Promise.all([readOrgSettings(db, iamSettings, org), selectOrgName(db, org)])
      return { name, logo: logo ?? null, color: color ?? null }
    },
    countMail: (asked: AskedMail) => countCustomerMail({ db: db.autocommit, clock: engines.clock }, asked),
    requestCode: async (request: CodeRequest) => requestCode(await withKey(), request),
    pending: async (interaction: Uint8Array) => findPending(await withKey(), interaction),
    enterCode: async (interaction: Uint8Array, given: Parameters<typeof enterCode>[2]) =>
      enterCode(await withKey(), interaction, given),
    signIn: async (org: OrgId, customer: SignedInCustomer) => signInCustomer(await withKey(), org, customer),
  }
}
