// What the account page of the identity origin shows and changes: the same changes as by the operations under
// /v1/iam/me, for a person who is signed in at that origin and has not chosen an organisation.

import type { Engines } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { compileCheck } from '../../../kit/check.ts'
import { Fault, notFound } from '../../../kit/fault.ts'
import { positionFrom } from '../../../kit/page.ts'
import type { Bounds } from '../../../kit/table.ts'
import { inviteDeclined, joining, sessionEnded } from '../events.ts'
import { InviteId } from '../fields.ts'
import { type InvitationTo, selectInvitationsTo } from '../invites/store.ts'
import * as members from '../members/store.ts'
import * as people from '../people/store.ts'
import { endSignInsOf } from '../sessions/oidc.store.ts'
import { type BrowserSession, selectBrowsers } from '../sessions/store.ts'
import { requestMove } from './email.ts'
import { decline, joinByInvitation } from './invitations.ts'
import { rename } from './me.ts'
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
  type Visitor,
} from './page-write.ts'
import { replacePassword } from './password.ts'

/** The most invitations and browsers that the page lists. */
export const LISTED_MAX = 50

export type AccountFacts = people.OwnAccount & {
  memberships: members.Membership[]
  invitations: InvitationTo[]
  browsers: BrowserSession[]
}

export type AccountPage = ReturnType<typeof openAccountPage>

/** The events that the page emits. */
export const accountPageEvents = { ...joining, ...inviteDeclined, ...sessionEnded }

/** Each change throws a fault whose message is shown to the person. */
export function openAccountPage(engines: PageEngines, bounds: Bounds) {
  const { clock } = engines
  const now = () => clock.now().toISOString()
  return {
    find: (user: string) => findAccount(engines, user),
    rename: (visitor: Visitor, name: string) => {
      requireName(name)
      return act(engines, visitor, 'me.update', scope => rename(scope, visitor.user, name))
    },
    changePassword: async (visitor: Visitor, current: string, password: string) => {
      await requirePassword(password)
      const person = await requireOwner(engines, visitor.user)
      const proof = await proveOn(engines, visitor, current)
      const digest = await engines.passwords.hash(visitor.client, password, visitor.signal)
      const change = { proof, digest, kept: visitor.session }
      await act(engines, visitor, 'password.change', scope =>
        replacePassword(engines, scope, { user: visitor.user, email: person.email }, change),
      )
    },
    changeEmail: async (visitor: Visitor, given: string, current: string, addressUrl: (token: string) => string) => {
      const email = requireAddress(given)
      const person = await requireOwner(engines, visitor.user)
      const proof = await proveOn(engines, visitor, current)
      const write = <T>(work: (scope: OwnWrite) => Promise<T>) => act(engines, visitor, 'email.request', work)
      await requestMove(
        { ...engines, network: visitor.client, addressUrl, proof, write },
        { user: visitor.user, email: person.email },
        email,
      )
    },
    accept: (visitor: Visitor, id: string) =>
      act(engines, visitor, 'invite.accept', (scope, { email }) =>
        joinByInvitation(scope, { user: visitor.user, email }, inviteId(id), now(), bounds),
      ),
    decline: (visitor: Visitor, id: string) =>
      act(engines, visitor, 'invite.decline', (scope, { email }) =>
        decline(scope, { user: visitor.user, email }, inviteId(id)),
      ),
    /** Ends one browser session; nothing happens if it has ended already. */
    end: (visitor: Visitor, session: string) =>
      act(engines, visitor, 'session.end', scope => endOn(scope, visitor, session)),
    endOthers: (visitor: Visitor) =>
      act(engines, visitor, 'session.end', async ({ db, record }) => {
        if ((await endSignInsOf(db, visitor.user, visitor.session)).length === 0) return
        record('all other sessions', { user: { from: visitor.user } })
      }),
  }
}

/** Null if the account no longer exists. */
async function findAccount({ db, clock }: Engines, user: string): Promise<AccountFacts | null> {
  const account = await people.selectOwnAccount(db, user)
  if (!account) return null
  const at = clock.now().toISOString()
  const [memberships, invitations, browsers] = await Promise.all([
    members.selectMemberships(db, user),
    selectInvitationsTo(db, account.email, at, positionFrom(''), LISTED_MAX),
    selectBrowsers(db, user, at, LISTED_MAX),
  ])
  return { ...account, memberships, invitations, browsers }
}

const requireOwner = async ({ db }: Engines, user: string) => owned(await people.selectOwnAccount(db, user))

/** The admin who chose a password may be the one who is signed in with it. */
function owned(account: people.OwnAccount | null): people.OwnAccount {
  if (!account) throw notFound('account')
  if (!account.isPlanted) return account
  throw new Fault('forbidden', { message: 'An admin chose your password. Choose one of your own first.' })
}

const inviteIds = compileCheck(InviteId)

function inviteId(id: string): string {
  if (!inviteIds.passes(id)) throw notFound('invitation')
  return id
}

/** Changes that concern no organisation are recorded in the trails of all organisations of the person. */
const TEAM: PageOf<people.OwnAccount, typeof accountPageEvents> = {
  events: accountPageEvents,
  lock: async (db, { user }) => owned(await people.lockOwnAccount(db, user)),
  trails: async (db, { user }) => (await members.selectMemberships(db, user)).map(({ org }) => org as OrgId),
}

type Work<T> = (scope: OwnEmitting<typeof accountPageEvents>, account: people.OwnAccount) => Promise<T>

const act = <T>(engines: PageEngines, visitor: Visitor, what: string, work: Work<T>): Promise<T> =>
  actOn(engines, TEAM, visitor, what, work)
