// What the account page of the identity origin shows and changes: the same changes as by the operations under
// /v1/iam/me, for a person who is signed in at that origin and has not chosen an organisation.

import { ConstraintViolated, type Engines, EngineUnavailable } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { compileCheck } from '../../../kit/check.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import { Fault, notFound } from '../../../kit/fault.ts'
import { positionFrom } from '../../../kit/page.ts'
import type { Bounds } from '../../../kit/table.ts'
import type { Changes } from '../../../kit/write.ts'
import { insertAudit } from '../audit/store.ts'
import { inviteDeclined, joining, sessionEnded } from '../events.ts'
import { Email, InviteId } from '../fields.ts'
import { type InvitationTo, selectInvitationsTo } from '../invites/store.ts'
import * as members from '../members/store.ts'
import { passwordProblem } from '../people/password-rules.ts'
import * as people from '../people/store.ts'
import { endBrowser, endSignInsOf, lockBrowser } from '../sessions/oidc.store.ts'
import { type BrowserSession, selectBrowsers, signInId } from '../sessions/store.ts'
import { requestMove } from './email.ts'
import { decline, joinByInvitation } from './invitations.ts'
import { PersonName, rename } from './me.ts'
import type { OwnEmitting, OwnWrite } from './own-write.ts'
import { replacePassword, verifyCurrent } from './password.ts'

/** The most invitations and browsers that the page lists. */
const LISTED_MAX = 50

export type AccountFacts = people.OwnAccount & {
  memberships: members.Membership[]
  invitations: InvitationTo[]
  browsers: BrowserSession[]
}

/** Who is signed in, in which browser session (the hex digest of its id), and from where. */
export type Visitor = { user: string; session: string; ip: string; client: string; signal: AbortSignal }

export type AccountPage = ReturnType<typeof openAccountPage>

type PageEngines = Engines & Publishing

/** What the page emits. */
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
      const problem = await passwordProblem(password)
      if (problem !== null) throw new Fault('invalid_input', { message: problem })
      const person = await requireOwner(engines, visitor.user)
      const verified = await verify(engines, visitor, current)
      const digest = await engines.passwords.hash(visitor.client, password, visitor.signal)
      const change = { verified, digest, kept: visitor.session, at: now() }
      await act(engines, visitor, 'password.change', scope =>
        replacePassword(engines, scope, { user: visitor.user, email: person.email }, change),
      )
    },
    changeEmail: async (visitor: Visitor, given: string, current: string, addressUrl: (token: string) => string) => {
      const email = given.toLowerCase()
      if (!emails.passes(email)) throw new Fault('invalid_input', { message: 'Please enter an e-mail address.' })
      const person = await requireOwner(engines, visitor.user)
      const verified = await verify(engines, visitor, current)
      const write = <T>(work: (scope: OwnWrite) => Promise<T>) => act(engines, visitor, 'email.request', work)
      await requestMove({ ...engines, addressUrl, verified, write }, { user: visitor.user, email: person.email }, email)
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
      act(engines, visitor, 'session.end', async ({ db, record, emit }) => {
        if (!/^[0-9a-f]{64}$/.test(session)) throw notFound('session')
        for (const { org, grant } of await endBrowser(db, visitor.user, session)) {
          record(signInId(grant), { user: { from: visitor.user } }, org)
          emit('iam.session.ended', { id: signInId(grant), user: visitor.user }, org)
        }
      }),
    endOthers: (visitor: Visitor) =>
      act(engines, visitor, 'session.end', async ({ db, record }) => {
        if (!(await endSignInsOf(db, visitor.user, visitor.session))) return
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

function verify(engines: Engines, visitor: Visitor, current: string): Promise<string> {
  const { db, clock, passwords } = engines
  const countTry = (count: (db: OwnWrite['db']) => Promise<number>) => count(db.autocommit)
  const by = { db, clock, passwords, queue: visitor.client, signal: visitor.signal, countTry }
  return verifyCurrent(by, visitor, current)
}

const emails = compileCheck(Email)
const names = compileCheck(PersonName)
const inviteIds = compileCheck(InviteId)

function requireName(name: string): void {
  if (names.passes(name)) return
  throw new Fault('invalid_input', { message: 'Please enter a name: one line of at most 120 characters.' })
}

function inviteId(id: string): string {
  if (!inviteIds.passes(id)) throw notFound('invitation')
  return id
}

type Entry = { on: string; changes: Changes | null; trail: OrgId | null }

/** A transaction that lost a race is tried again, because its outcome may then be another one. */
const ATTEMPTS_MAX = 5

/** Runs a change in a transaction, with its events, and its entries in the audit trails: of the organisation that it
 *  concerns, or of all organisations of the person. Resolves when this process has handled its notifications. */
async function act<T>(engines: Acting, visitor: Visitor, what: string, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const done = await actOnce(engines, visitor, what, work)
      await engines.db.waitForNotifications()
      return done
    } catch (error) {
      const lost =
        error instanceof ConstraintViolated || (error instanceof EngineUnavailable && error.state === 'conflict')
      if (!lost) throw error
      if (attempt === ATTEMPTS_MAX) {
        const message = 'Something else was changed at the same moment. Please try again.'
        throw new Fault('conflict', { message, cause: error })
      }
    }
  }
}

type Acting = Pick<PageEngines, 'db' | 'log' | 'clock' | 'random' | 'source'>
type Work<T> = (scope: OwnEmitting<typeof accountPageEvents>, account: people.OwnAccount) => Promise<T>

function actOnce<T>(engines: Acting, visitor: Visitor, what: string, work: Work<T>): Promise<T> {
  const { db: database, clock, random } = engines
  const { user, session, ip } = visitor
  const id = `account_${random.token(12)}`
  const at = clock.now().toISOString()
  return database.transaction(async db => {
    // The account is locked first, as by everything that ends sessions, so that they do not wait for each other.
    const account = owned(await people.lockOwnAccount(db, user))
    if (!(await lockBrowser(db, user, session))) throw signedOut()
    const entries: Entry[] = []
    const record: OwnWrite['record'] = (on, changes, trail) =>
      entries.push({ on, changes: changes ?? null, trail: trail ?? null })
    const result = await emitting(engines, db, accountPageEvents, emit => work({ db, record, emit }, account))
    const caller = { user, email: account.email, credential: { id } }
    const own = (await members.selectMemberships(db, user)).map(({ org }) => org as OrgId)
    for (const { trail, ...entry } of entries) {
      for (const org of trail === null ? own : [trail]) {
        await insertAudit(db, { org, caller, what, ...entry, at, ip, requestId: id })
      }
    }
    return result
  })
}

/** The session may have ended since the form was sent. */
const signedOut = () => new Fault('credential_refused', { message: 'You were signed out. Please sign in again.' })
