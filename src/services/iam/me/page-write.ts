// The changes that an account page of the identity origin makes, by a person who is signed in there in a browser.
import {
  ConstraintViolated,
  type Engines,
  EngineUnavailable,
  type PasswordUser,
  type Tx,
} from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { compileCheck } from '../../../kit/check.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import { Fault, notFound } from '../../../kit/fault.ts'
import type { Changes, Emits } from '../../../kit/write.ts'
import { insertAudit } from '../audit/store.ts'
import type { sessionEnded } from '../events.ts'
import { Email } from '../fields.ts'
import { passwordProblem } from '../people/password-rules.ts'
import { endBrowser, lockBrowser } from '../sessions/oidc.store.ts'
import { signInId } from '../sessions/store.ts'
import { PersonName } from './me.ts'
import type { OwnEmitting, OwnWrite } from './own-write.ts'
import { type Proof, prove } from './proof.ts'

export type PageEngines = Engines & Publishing

/** Who is signed in, in which browser session (the hex digest of its id), and from where. */
export type Visitor = { user: string; session: string; ip: string; client: string; signal: AbortSignal }

/** The kind of account that the page is for. */
export type PageOf<Account extends { email: string }, E extends Emits> = {
  /** The events that the page emits. */
  events: E
  /** Locks the account until the transaction ends; raises a fault if it may not be changed. */
  lock(db: Tx, visitor: Visitor): Promise<Account>
  /** The organisations whose audit trails record a change that concerns no particular organisation. */
  trails(db: Tx, visitor: Visitor): Promise<OrgId[]>
}

type Entry = { on: string; changes: Changes | null; trail: OrgId | null }

/** A transaction that lost a race is retried, because its outcome may differ then. */
const ATTEMPTS_MAX = 5

type Work<T, Account, E extends Emits> = (scope: OwnEmitting<E>, account: Account) => Promise<T>

/** Runs a change in a transaction, with its events, and its entries in the audit trails. Resolves when this process has
 *  handled its notifications. */
export async function act<T, Account extends { email: string }, E extends Emits>(
  engines: PageEngines,
  page: PageOf<Account, E>,
  visitor: Visitor,
  what: string,
  work: Work<T, Account, E>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const done = await actOnce(engines, page, visitor, what, work)
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

function actOnce<T, Account extends { email: string }, E extends Emits>(
  engines: PageEngines,
  page: PageOf<Account, E>,
  visitor: Visitor,
  what: string,
  work: Work<T, Account, E>,
): Promise<T> {
  const { db: database, clock, random } = engines
  const { user, session, ip } = visitor
  const id = `account_${random.token(12)}`
  const at = clock.now().toISOString()
  return database.transaction(async db => {
    // The account is locked first, as in everything that ends sessions, so that they cannot deadlock.
    const account = await page.lock(db, visitor)
    if (!(await lockBrowser(db, user, session))) throw signedOut()
    const entries: Entry[] = []
    const record: OwnWrite['record'] = (on, changes, trail) =>
      entries.push({ on, changes: changes ?? null, trail: trail ?? null })
    const result = await emitting(engines, db, page.events, emit => work({ db, record, emit }, account))
    const caller = { user, email: account.email, credential: { id } }
    const own = await page.trails(db, visitor)
    for (const { trail, ...entry } of entries) {
      for (const org of trail === null ? own : [trail]) {
        await insertAudit(db, { org, caller, what, ...entry, at, ip, requestId: id })
      }
    }
    return result
  })
}

/** The session may have ended since the form was sent. */
export const signedOut = () =>
  new Fault('credential_refused', { message: 'You were signed out. Please sign in again.' })

/** `current` is the current password, if one was given. */
export function proveOn(
  engines: Engines,
  visitor: Visitor,
  current: string | undefined,
  queue: PasswordUser = visitor.client,
): Promise<Proof> {
  const { db, clock, passwords } = engines
  const { user, session, signal } = visitor
  const countTry = (count: (db: Tx) => Promise<number>) => count(db.autocommit)
  return prove({ db, clock, passwords, queue, signal, countTry }, { user, signIn: session }, current)
}

/** Ends one browser session; returns how many sign-ins ended with it. */
export async function endOn(
  { db, record, emit }: OwnEmitting<typeof sessionEnded>,
  { user }: Visitor,
  session: string,
): Promise<number> {
  if (!/^[0-9a-f]{64}$/.test(session)) throw notFound('session')
  const ended = await endBrowser(db, user, session)
  for (const { org, grant } of ended) {
    record(signInId(grant), { user: { from: user } }, org)
    emit('iam.session.ended', { id: signInId(grant), user }, org)
  }
  return ended.length
}

const emails = compileCheck(Email)
const names = compileCheck(PersonName)

export function requireName(name: string): void {
  if (names.passes(name)) return
  throw new Fault('invalid_input', { message: 'Please enter a name: one line of at most 120 characters.' })
}

/** Returns the address in lower case. */
export function requireAddress(given: string): string {
  const email = given.toLowerCase()
  if (!emails.passes(email)) throw new Fault('invalid_input', { message: 'Please enter an e-mail address.' })
  return email
}

export async function requirePassword(password: string): Promise<void> {
  const problem = await passwordProblem(password)
  if (problem !== null) throw new Fault('invalid_input', { message: problem })
}
