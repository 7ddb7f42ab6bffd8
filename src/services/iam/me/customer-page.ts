// What the account page for customers shows and changes: the same changes as by the operations under /v1/iam/me, for a
// customer who is signed in at the identity origin. The organisation is that of the app, and every row is read and changed
// as one of it.
import type { Engines } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { CustomerMails } from '../../../kit/host/sign-in.ts'
import { sessionEnded, userDeleted, userUpdated } from '../events.ts'
import { endAccessOf } from '../people/end-access.ts'
import * as people from '../people/store.ts'
import { lockBrowser } from '../sessions/oidc.store.ts'
import { type BrowserSession, selectBrowsers, signInId } from '../sessions/store.ts'
import * as customers from '../users/store.ts'
import { renameCustomer } from '../users/users.ts'
import { LISTED_MAX } from './account-page.ts'
import { requestMove } from './email.ts'
import { deleteOwn } from './me.ts'
import type { OwnEmitting, OwnWrite } from './own-write.ts'
import {
  act as actOn,
  endOn,
  type PageEngines,
  type PageOf,
  proveOn,
  requireAddress,
  requireName,
  requirePassword,
  signedOut,
  type Visitor,
} from './page-write.ts'
import { replacePassword } from './password.ts'
import { holdProof, isRecent } from './proof.ts'

export type CustomerFacts = people.Profile & {
  email: string
  hasPassword: boolean
  /** Whether they signed in a moment ago, in this browser. */
  isRecent: boolean
  browsers: BrowserSession[]
}

export type CustomerAccount = ReturnType<typeof openCustomerAccount>

/** The events that the page emits. */
export const customerPageEvents = { ...userUpdated, ...userDeleted, ...sessionEnded }

/** Each change throws a fault that says what is wrong. `current` is the current password, if one was given. */
export function openCustomerAccount(engines: PageEngines) {
  const { clock } = engines
  const now = () => clock.now().toISOString()
  return {
    find: (org: OrgId, user: string, session: string) => findCustomer(engines, org, user, session),
    rename: async (org: OrgId, visitor: Visitor, name: string) => {
      requireName(name)
      const { user } = visitor
      await act(engines, org, visitor, 'me.update', scope => renameCustomer(scope, { org, user }, name, now()))
    },
    changePassword: async (org: OrgId, visitor: Visitor, given: Given & { password: string; mails: CustomerMails }) => {
      const { current, password, mails } = given
      await requirePassword(password)
      const proof = await proveOn(engines, visitor, current, { org, client: visitor.client })
      const digest = await engines.passwords.hash({ org, client: visitor.client }, password, visitor.signal)
      await act(engines, org, visitor, 'password.change', (scope, { user, email }) => {
        const change = { proof, digest, kept: visitor.session, mail: mails.changed(email) }
        return replacePassword(engines, scope, { user, email }, change)
      })
    },
    changeEmail: async (org: OrgId, visitor: Visitor, given: Given & Moving) => {
      const { current, mails, addressUrl } = given
      const email = requireAddress(given.email)
      const proof = await proveOn(engines, visitor, current, { org, client: visitor.client })
      const write = <T>(work: (scope: OwnWrite) => Promise<T>) => act(engines, org, visitor, 'email.request', work)
      // Personal data is not recorded, so the previous address is not needed.
      await requestMove(
        { ...engines, network: visitor.client, addressUrl, proof, mails, write },
        { user: visitor.user, email: '' },
        email,
      )
    },
    /** Ends one browser session; nothing happens if it has ended already. */
    end: (org: OrgId, visitor: Visitor, session: string) =>
      act(engines, org, visitor, 'session.end', async scope => {
        const { user } = visitor
        const isThere = /^[0-9a-f]{64}$/.test(session) && (await lockBrowser(scope.db, user, session))
        const ended = await endOn(scope, visitor, session)
        if (isThere && ended === 0) scope.record('browser session', { user: { from: user } })
      }),
    /** Ends all sign-ins, including those of this browser and those in progress. */
    endAll: (org: OrgId, visitor: Visitor) =>
      act(engines, org, visitor, 'session.end', async ({ db, record, emit }) => {
        const { user } = visitor
        await customers.endSignInsBegun(db, user)
        for (const { signIn } of await endAccessOf(db, user, null, now())) {
          if (signIn !== null) emit('iam.session.ended', { id: signInId(signIn), user }, org)
        }
        record('all sessions', { user: { from: user } })
      }),
    remove: async (org: OrgId, visitor: Visitor, { current }: Given) => {
      const proof = await proveOn(engines, visitor, current, { org, client: visitor.client })
      await act(engines, org, visitor, 'user.delete', async (scope, customer) => {
        await holdProof({ db: scope.db, clock }, proof)
        await deleteOwn(scope, org, customer, now())
      })
    },
  }
}

type Given = { current: string | undefined }
type Moving = { email: string; mails: CustomerMails; addressUrl(token: string): string }

/** Null unless it is a customer of that organisation, who is not blocked. */
async function findCustomer(
  { db, clock }: Engines,
  org: OrgId,
  user: string,
  session: string,
): Promise<CustomerFacts | null> {
  const customer = await customers.selectCustomer(db, org, user)
  if (!customer || customer.blocked) return null
  const { email, name, emailVerified } = customer
  const [password, recent, browsers] = await Promise.all([
    people.selectPassword(db, user),
    isRecent({ db, clock }, { user, signIn: session }),
    selectBrowsers(db, user, clock.now().toISOString(), LISTED_MAX),
  ])
  return { email, name, emailVerified, hasPassword: password !== null, isRecent: recent, browsers }
}

const pageOf = (org: OrgId): PageOf<customers.Customer, typeof customerPageEvents> => ({
  events: customerPageEvents,
  lock: async (db, { user }) => {
    const customer = await customers.lockCustomer(db, org, user)
    if (!customer || customer.blocked) throw signedOut()
    return customer
  },
  trails: async () => [org],
})

type Scope = OwnEmitting<typeof customerPageEvents>

const act = <T>(
  engines: PageEngines,
  org: OrgId,
  visitor: Visitor,
  what: string,
  work: (scope: Scope, customer: customers.Customer) => Promise<T>,
): Promise<T> => actOn(engines, pageOf(org), visitor, what, work)
