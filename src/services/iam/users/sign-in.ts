// How customers sign in: with a password, or with a code that is mailed to them, which also registers them and lets them
// choose a password. Nothing here reveals whether an address has an account: the answer and its timing are the same, and a
// mail is sent in both cases.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Engines, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import type { Bounds } from '../../../kit/table.ts'
import { userCreated, userSignedIn, userUpdated } from '../events.ts'
import { addNotice, type Notice } from '../notices.ts'
import { endAccessOf } from '../people/end-access.ts'
import * as tables from '../tables.ts'
import * as codes from './codes.store.ts'
import * as store from './store.ts'

export type { Purpose } from './codes.store.ts'

const CODE_MS = 10 * 60_000
const TRIES_MAX = 5
const DIGITS = 6

export type SigningIn = Engines & Publishing & { bounds: Bounds; codeKey: string }

/** The events that `signIn` and codes emit. */
export const customerSignIn = { ...userCreated, ...userSignedIn, ...userUpdated }

/** A customer whose password or code was right. `generation` proves it when the session is stored. */
export type SignedInCustomer = { user: string; generation: number }

export type CodeRequest = Omit<codes.MailedCode, 'code'> & { interaction: Uint8Array }

/** The kind of mail: a code; a code and the note that an account already exists; or the note that there is none. */
export type CodeMail = { kind: 'code' | 'exists'; code: string } | { kind: 'unknown' | 'blocked' }

/** Stores a code and returns what to mail. Where there is nothing to sign in to, the code is one that nobody knows. */
export async function requestCode(engines: SigningIn, request: CodeRequest): Promise<CodeMail> {
  const { db, clock, random, codeKey } = engines
  const { interaction, ...asked } = request
  const account = await store.selectSignInAccount(db, asked.org, asked.email)
  const digits = digitsFrom(random.bytes(8))
  const mail = mailFor(account, asked, digits)
  const known = 'code' in mail ? mail.code : random.token(43)
  const now = clock.now().getTime()
  const times = { created: new Date(now).toISOString(), expires: new Date(now + CODE_MS).toISOString() }
  const code = macOf(codeKey, interaction, known)
  await db.transaction(tx => codes.upsertCode(tx, interaction, { ...asked, code }, times))
  return mail
}

/** Uniform to one part in ten trillion. */
const digitsFrom = (bytes: Buffer): string =>
  String(bytes.readBigUInt64BE() % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0')

function mailFor(account: store.SignInAccount | null, { purpose, mayRegister }: Asked, code: string): CodeMail {
  if (account?.isBlocked) return { kind: 'blocked' }
  if (account) return { kind: purpose === 'register' && account.isVerified ? 'exists' : 'code', code }
  return mayRegister && purpose !== 'reset' ? { kind: 'code', code } : { kind: 'unknown' }
}

type Asked = Pick<CodeRequest, 'purpose' | 'mayRegister'>

const macOf = (key: string, interaction: Uint8Array, code: string) =>
  createHmac('sha256', key).update(interaction).update(code).digest()

/** What the code of a sign-in is for; null if there is none, or it has expired. */
export const findPending = ({ db, clock }: SigningIn, interaction: Uint8Array): Promise<codes.PendingCode | null> =>
  codes.selectPending(db, interaction, TRIES_MAX, clock.now().toISOString())

export type CodeOutcome = SignedInCustomer | 'wrong' | 'ended'

/** `password` is the hash of the new password, for `reset`. `mayRegister`: whether registration is still allowed. */
export type EnteredCode = {
  code: string
  browser: string
  password: string | null
  mayRegister: boolean
  /** The mail that is sent if a new password replaces another. */
  notice: Notice | null
}

/** Signs in with a code. `ended` if the code is not valid any more. */
export async function enterCode(engines: SigningIn, interaction: Uint8Array, given: EnteredCode): Promise<CodeOutcome> {
  const { db, clock, codeKey } = engines
  const at = clock.now().toISOString()
  const found = await codes.countAttempt(db.autocommit, interaction, TRIES_MAX, at)
  if (!found || found.browser !== given.browser) return 'ended'
  const expected = Buffer.from(found.code)
  if (!timingSafeEqual(macOf(codeKey, interaction, given.code), expected)) return 'wrong'
  const password = found.purpose === 'reset' ? given.password : found.password
  const mayRegister = found.mayRegister && given.mayRegister
  const done = await db.transaction(async tx => {
    if (!(await codes.useCode(tx, interaction, found.code))) return null
    return emitting(engines, tx, customerSignIn, emit =>
      complete(engines, tx, emit, { ...found, password, mayRegister, notice: given.notice }, at),
    )
  })
  await db.waitForNotifications()
  return done ?? 'ended'
}

type EmitSignIn = Parameters<Parameters<typeof emitting<typeof customerSignIn, unknown>>[3]>[0]

async function complete(
  engines: SigningIn,
  tx: Tx,
  emit: EmitSignIn,
  found: codes.MailedCode & Pick<EnteredCode, 'notice'>,
  at: string,
): Promise<SignedInCustomer | null> {
  const { org, email, purpose, notice } = found
  const account = await store.lockSignInAccount(tx, org, email)
  if (!account) return found.mayRegister && purpose !== 'reset' ? register(engines, tx, emit, found, at) : null
  if (account.isBlocked) return null
  const { user } = account
  if (purpose === 'verify') {
    if (found.generation !== account.generation) return null
    await store.keepAndProve(tx, user, at)
    return begin(tx, emit, org, account, at)
  }
  if (purpose !== 'reset' && account.isVerified) return begin(tx, emit, org, account, at)
  // Of an address that nobody had proved, somebody else may have chosen the password.
  await endAccessOf(tx, user, null, at)
  const generation = await store.proveAddress(tx, user, found.password, at)
  if (notice !== null && account.password !== null) await addNotice({ ...engines, db: tx }, org, notice)
  emit(
    'iam.user.updated',
    { user, email, changed: ['password', ...(account.isVerified ? [] : ['emailVerified'])] },
    org,
  )
  return begin(tx, emit, org, { user, generation }, at)
}

async function register(
  { random, bounds }: SigningIn,
  tx: Tx,
  emit: EmitSignIn,
  { org, email, name, password }: codes.MailedCode,
  at: string,
): Promise<SignedInCustomer | null> {
  const user = `cus_${random.token(24)}`
  const customer = { user, email, name, metadata: {}, password, verified: at, created: at }
  if (!(await store.insertCustomer(tx, org, customer))) return null
  await bounds.require(tx, tables.customers, org)
  emit('iam.user.created', { user, email }, org)
  return begin(tx, emit, org, { user, generation: 0 }, at)
}

async function begin(
  tx: Tx,
  emit: EmitSignIn,
  org: OrgId,
  { user, generation }: SignedInCustomer,
  at: string,
): Promise<SignedInCustomer | null> {
  if (!(await store.updateSignedIn(tx, user, generation, at))) return null
  emit('iam.user.signed_in', { user }, org)
  return { user, generation }
}

/** Signs in after the right password was given. Null if it was changed, or the account blocked, in the meantime. */
export function signInCustomer(
  engines: SigningIn,
  org: OrgId,
  customer: SignedInCustomer,
): Promise<SignedInCustomer | null> {
  const at = engines.clock.now().toISOString()
  return engines.db.transaction(tx => emitting(engines, tx, customerSignIn, emit => begin(tx, emit, org, customer, at)))
}
