// Operations under /v1/iam/users: the customers of the organisation, people who sign in to its own apps.
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import type { Tx } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import { type Caller, isLimited, type OrgId } from '../../../kit/caller.ts'
import { invalidField } from '../../../kit/check.ts'
import type { EmitTo } from '../../../kit/events.ts'
import { conflict, Fault, orNotFound } from '../../../kit/fault.ts'
import { boolean, displayName, string, timestamp, withoutNulls } from '../../../kit/fields.ts'
import { invalidCursor, listing, page, pageByTime, paging, shownAs } from '../../../kit/page.ts'
import { changesIn, type RecordChange } from '../../../kit/write.ts'
import { userBlocked, userCreated, userDeleted, userUpdated } from '../events.ts'
import { CustomerId, Email } from '../fields.ts'
import { deleteChangesOf, endChangesOf } from '../people/address-changes.store.ts'
import { endAccessOf } from '../people/end-access.ts'
import { Password, requireUncommon } from '../people/password-rules.ts'
import { deleteEntriesOf } from '../sessions/oidc.store.ts'
import { operation } from '../state.ts'
import * as tables from '../tables.ts'
import { deleteCodesTo } from './codes.store.ts'
import { forgetAddress } from './imports.store.ts'
import * as store from './store.ts'
import { searchable } from './terms.ts'

const METADATA_BYTES_MAX = 8 * 1024

export const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  maxProperties: 100,
  description: `What the organisation stores about the customer: at most ${METADATA_BYTES_MAX / 1024} KiB as JSON. The customer can read it; only admins can write it`,
  examples: [{ plan: 'pro' }],
})
export const Name = { ...displayName("The customer's name"), examples: ['Ada Lovelace'] }
export const Verified = boolean('Whether access to the mailbox of the address was proved', true)
export const Blocked = boolean('Whether the customer is blocked from signing in', false)

export const User = Type.Object(
  {
    user: CustomerId,
    email: Email,
    emailVerified: Verified,
    name: string('The name; empty if none', 'Ada Lovelace'),
    metadata: Metadata,
    blocked: Blocked,
    created: timestamp('When the account was created'),
    updated: timestamp('When it was last changed'),
    signedIn: Type.Optional(timestamp('When the customer last signed in')),
  },
  { title: 'User', description: "A customer: a person who signs in to the organisation's own apps" },
)

const shown = (customer: store.Customer) => withoutNulls(customer)

export const listUsers = operation({
  route: 'GET /v1/iam/users',
  summary: "Lists the organisation's customers, newest first; search results are sorted by the matching text",
  description:
    '`search` matches ids and, ignoring case, the beginnings of addresses, of their domains (`@example.com`) and of the words in names.',
  access: 'admin',
  input: {
    search: Type.Optional(string('The text to search for', 'ada', { minLength: 1, maxLength: 100 })),
    blocked: Type.Optional(boolean('Only blocked customers if true; only others if false', false)),
    ...paging,
  },
  output: listing(User),
  run: async ({ db, caller: { org } }, { search, blocked, ...query }) => {
    if (search === undefined) {
      const found = pageByTime(query, async (last, count) => {
        const customers = await store.selectCustomers(db, org, blocked, last, count)
        return customers.map(customer => ({ ...customer, id: customer.user }))
      })
      return shownAs(found, ({ id: _, ...customer }) => shown(customer))
    }
    const { data, next } = await page(
      query,
      (last, count) => findMatches(db, org, { search, blocked }, last, count),
      matchKey,
    )
    const customers = await store.selectCustomersBy(
      db,
      org,
      data.map(({ user }) => user),
    )
    const byId = new Map(customers.map(customer => [customer.user, customer]))
    return { data: data.flatMap(({ user }) => byId.get(user) ?? []).map(shown), next }
  },
})

const matchKey = ({ term, user }: store.Match) => `${user} ${term}`

/** Ids match only as a whole, and such a match is the only one. */
async function findMatches(...[db, org, { search, blocked }, last, count]: SearchFor): Promise<store.Match[]> {
  if (/^cus_/.test(search)) return last === '' ? [{ term: search, user: search }] : []
  const prefix = searchable(search)
  const [, user = '', term = ''] = last === '' ? [] : (last.match(/^(cus_\w+) (.+)$/s) ?? [])
  if (last !== '' && (user === '' || !term.startsWith(prefix))) throw invalidCursor()
  return store.selectMatches(db, org, { prefix, blocked }, { term, user }, count)
}

type SearchFor = [
  db: Parameters<typeof store.selectMatches>[0],
  org: Caller['org'],
  search: { search: string; blocked: boolean | undefined },
  last: string,
  count: number,
]

export const createUser = operation({
  route: 'POST /v1/iam/users',
  summary: 'Creates a customer account',
  description:
    'No mail is sent. Without a password, the customer signs in with a mailed code, or uses one to choose a password. Setting `password` or `emailVerified` requires an unlimited key. The maximum number of customers is a setting.',
  access: 'admin',
  input: {
    email: Email,
    name: Type.Optional(Name),
    metadata: Type.Optional(Metadata),
    password: Type.Optional(Password),
    emailVerified: Type.Optional(Verified),
  },
  output: User,
  status: 201,
  faults: ['conflict'],
  audit: 'user.create',
  emits: userCreated,
  run: async (context, { email: given, name = '', metadata = {}, password, emailVerified = false }) => {
    const { bounds, caller, clock, passwords, random, request, write } = context
    if (password !== undefined || emailVerified) requireUnlimited(caller)
    requireSize(metadata)
    await requireUncommon('password', password)
    const digest = password === undefined ? null : await passwords.hash(caller.org, password, request.signal)
    const created = clock.now().toISOString()
    const customer = { user: `cus_${random.token(24)}`, email: given.toLowerCase(), name, metadata, created }
    return write(async ({ db, record, emit }) => {
      const { org } = caller
      const verified = emailVerified ? created : null
      if (!(await store.insertCustomer(db, org, { ...customer, password: digest, verified })))
        throw taken(customer.email)
      await bounds.require(db, tables.customers, org)
      record(customer.user)
      emit('iam.user.created', { user: customer.user, email: customer.email })
      return { ...customer, emailVerified, blocked: false, updated: created }
    })
  },
})

export const getUser = operation({
  route: 'GET /v1/iam/users/{user}',
  summary: 'Returns one customer',
  access: 'admin',
  input: { user: CustomerId },
  output: User,
  faults: ['not_found'],
  run: async ({ db, caller }, { user }) =>
    shown(orNotFound(await store.selectCustomer(db, caller.org, user), 'customer')),
})

export const updateUser = operation({
  route: 'PATCH /v1/iam/users/{user}',
  summary: 'Changes the given fields of a customer; fields of `metadata` are merged, and null removes one',
  description:
    'Blocking ends all sign-ins immediately. A new address is unverified: the customer must confirm it with a mailed code before the next sign-in with a password. Setting `email` or `emailVerified` requires an unlimited key.',
  access: 'admin',
  input: {
    user: CustomerId,
    name: Type.Optional(Name),
    email: Type.Optional({ ...Email, examples: ['grace@example.com'] }),
    emailVerified: Type.Optional(Verified),
    metadata: Type.Optional(Metadata),
    blocked: Type.Optional(Blocked),
  },
  output: User,
  faults: ['not_found', 'conflict'],
  audit: 'user.update',
  emits: { ...userUpdated, ...userBlocked },
  run: async ({ caller, clock, write }, { user, ...given }) => {
    if (given.email !== undefined || given.emailVerified !== undefined) requireUnlimited(caller)
    return write(async ({ db, record, emit }) => {
      const { org } = caller
      const before = orNotFound(await store.lockCustomer(db, org, user), 'customer')
      const after = changed(before, given)
      const fields = CHANGEABLE.filter(name => !isDeepStrictEqual(before[name], after[name]))
      if (fields.length === 0) return shown(before)
      if (after.email !== before.email && (await store.hasAddress(db, org, after.email))) throw taken(after.email)
      const at = clock.now().toISOString()
      const verified = after.emailVerified ? ((await store.selectVerified(db, org, user)) ?? at) : null
      await store.updateCustomer(db, org, { ...after, updated: at }, verified)
      const isBlocking = after.blocked && !before.blocked
      if (isBlocking) await endAccessOf(db, user, null, at)
      if (after.email !== before.email) await endChangesOf(db, user, at)
      // The trail outlives the account, so it contains nothing that names the person.
      record(user, { ...unnamed(fields), ...changesIn(before, after, ['blocked', 'emailVerified']) })
      if (isBlocking) emit('iam.user.blocked', { user })
      emit('iam.user.updated', { user, email: after.email, changed: fields })
      return shown({ ...after, updated: at })
    })
  },
})

const unnamed = (fields: readonly string[]) => Object.fromEntries(fields.map(name => [name, {}]))

const CHANGEABLE = ['name', 'email', 'emailVerified', 'metadata', 'blocked'] as const

type Given = { [Name in (typeof CHANGEABLE)[number]]?: store.Customer[Name] | undefined }

function changed(before: store.Customer, { metadata = {}, ...given }: Given): store.Customer {
  const email = given.email?.toLowerCase() ?? before.email
  const merged = Object.entries({ ...before.metadata, ...metadata }).filter(([, value]) => value !== null)
  const after = {
    ...before,
    ...given,
    email,
    emailVerified: given.emailVerified ?? (email === before.email && before.emailVerified),
    metadata: Object.fromEntries(merged),
  }
  requireSize(after.metadata)
  return after
}

export const deleteUser = operation({
  route: 'DELETE /v1/iam/users/{user}',
  summary: 'Deletes a customer: the account, its sign-ins, and the personal data that this service stores',
  description: 'It cannot be undone. Earlier events, and data that apps stored, stay.',
  access: 'admin',
  input: { user: CustomerId },
  output: nothing,
  faults: ['not_found'],
  audit: 'user.delete',
  emits: userDeleted,
  run: ({ caller: { org }, clock, write }, { user }) =>
    write(async ({ db, record, emit }) => {
      const customer = orNotFound(await store.lockCustomer(db, org, user), 'customer')
      await removeCustomer(db, org, customer, clock.now().toISOString())
      record(user)
      emit('iam.user.deleted', { user })
    }),
})

/** Deletes the account, which must be locked, and ends its sign-ins. */
export async function removeCustomer(db: Tx, org: OrgId, { user, email }: store.Customer, at: string): Promise<void> {
  await endAccessOf(db, user, null, at)
  await deleteEntriesOf(db, user)
  await deleteChangesOf(db, user)
  await deleteCodesTo(db, org, email)
  await forgetAddress(db, org, email)
  await store.deleteCustomer(db, org, user)
}

type Renaming = { db: Tx; record: RecordChange; emit: EmitTo<typeof userUpdated> }

/** A deletion by the customer. */
export async function renameCustomer(
  { db, record, emit }: Renaming,
  { org, user }: Pick<Caller, 'org' | 'user'>,
  name: string,
  at: string,
) {
  const before = await store.lockCustomer(db, org, user)
  if (!before || before.name === name) return
  await store.updateCustomer(db, org, { ...before, name, updated: at }, await store.selectVerified(db, org, user))
  record(user, unnamed(['name']))
  emit('iam.user.updated', { user, email: before.email, changed: ['name'] }, org)
}

const taken = (email: string) => conflict(`${email} already has an account here.`, 'email', 'already has an account')

export const isTooLarge = (metadata: object) => Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES_MAX
export const TOO_LARGE = `must take at most ${METADATA_BYTES_MAX} bytes as JSON`

function requireSize(metadata: object): void {
  if (isTooLarge(metadata)) throw invalidField('metadata', TOO_LARGE)
}

/** Setting an address or a password allows signing in as the customer. */
function requireUnlimited({ credential }: Caller): void {
  if (!isLimited(credential)) return
  throw new Fault('key_limit', {
    message: 'A limited key may not set passwords or addresses; use a key without limit, budget and rate.',
  })
}
