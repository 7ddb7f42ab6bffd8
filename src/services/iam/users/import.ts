// Operations under /v1/iam/users/import and /v1/iam/users/imports: customers of another system, with their password hashes.
import { Type } from 'typebox'
import type { Caller } from '../../../kit/caller.ts'
import { Fault, orNotFound } from '../../../kit/fault.ts'
import { anyValueFor, boolean, integer, string, timestamp, withoutNulls } from '../../../kit/fields.ts'
import { Email, ImportId, UserId } from '../fields.ts'
import { operation } from '../state.ts'
import * as tables from '../tables.ts'
import { imports } from './import-job.ts'
import { FirebaseProject, ImportedUser, readRecord } from './import-record.ts'
import * as store from './imports.store.ts'

const RECORDS_MAX = 1_000
const MIB = 1024 * 1024

export const importUsers = operation({
  route: 'POST /v1/iam/users/import',
  summary: 'Imports customers of another system, with the hashes of their passwords',
  description:
    'It is done in the background: `GET /v1/iam/users/imports/{id}` tells how far it is, and which records were not imported, and why. No mail is sent. A customer whose address has an account is not imported, unless `replace` is true: then the account is as the record says, and its sign-ins end; only owners may do that. An address counts as verified only if the record says so. Hashes may be those of Auth0 and Supabase (bcrypt, argon2), of Keycloak (argon2, pbkdf2) and of Firebase (its scrypt), and are replaced at the next sign-in; those that would cost too much to verify are refused.',
  access: 'admin',
  input: {
    users: Type.Array(anyValueFor(ImportedUser), {
      minItems: 1,
      maxItems: RECORDS_MAX,
      description: `At most ${RECORDS_MAX} records; what is wrong with one is a line of the report`,
      examples: [[{ email: 'ada@example.com', name: 'Ada Lovelace', emailVerified: true }]],
    }),
    replace: Type.Optional(boolean('Whether accounts that exist are replaced', false)),
    firebase: Type.Optional(FirebaseProject),
  },
  output: Type.Object({ id: ImportId }, { title: 'UserImportStarted', description: 'An import that has begun' }),
  status: 202,
  bodyLimit: 4 * MIB,
  faults: ['conflict'],
  issuesCredential: true, // Whoever chooses the hash of a password can sign in as the customer.
  keyed: true,
  audit: 'user.import',
  run: async ({ bounds, caller, clock, passwords, queues, random, write }, { users, replace = false, firebase }) => {
    if (replace) requireOwner(caller)
    const { org, user: by } = caller
    const created = clock.now().toISOString()
    const lines = users.map((given, at) => {
      return { line: at + 1, ...readRecord({ passwords, firebase, now: created }, given) }
    })
    const id = `imp_${random.token(24)}`
    return write(async ({ db, record }) => {
      await store.insertUserImport(db, org, { id, by, replaces: replace, created }, lines)
      await bounds.require(db, tables.customerImportLines, org)
      await queues.add(db, imports, [{ key: org, org, payload: { id } }])
      record(id, { records: { to: lines.length }, ...(replace && { replace: { to: true } }) })
      return { id }
    })
  },
})

/** Replacing takes accounts over. */
function requireOwner({ role }: Caller): void {
  if (role !== 'owner') throw new Fault('forbidden', { message: 'Only an owner of the organisation may do this.' })
}

const ReportLine = Type.Object(
  {
    line: integer('The number of the record in the request, from 1', 17),
    email: Type.Optional(Email),
    problem: Type.Enum(['exists', 'invalid', 'password', 'bound', 'failed'], {
      description:
        'Why it was not imported: the address has an account; a field is wrong; the hash cannot be used; the organisation has as many customers as it may have; or our fault, so that it can be sent again',
      examples: ['exists'],
    }),
    says: string('The same for people', 'The address has an account already.'),
  },
  { title: 'UserImportProblem', description: 'A record that was not imported' },
)

const UserImport = Type.Object(
  {
    id: ImportId,
    status: Type.Enum(['waiting', 'running', 'done'], { description: 'How far it is', examples: ['done'] }),
    by: { ...UserId, description: 'The id of the person who requested it' },
    total: integer('How many records there are', 1_000),
    added: integer('How many accounts were created so far', 999),
    replaced: integer('How many accounts were replaced so far', 0),
    failed: integer('How many records were not imported so far', 1),
    data: Type.Array(ReportLine, { description: 'The records that were not imported, in their order' }),
    created: timestamp('When it was requested'),
    finished: Type.Optional(timestamp('When all records were done')),
  },
  { title: 'UserImport', description: 'An import of customers. It is kept for 30 days' },
)

export const getUserImport = operation({
  route: 'GET /v1/iam/users/imports/{id}',
  summary: 'Returns how far an import of customers is, and which records were not imported',
  access: 'admin',
  input: { id: ImportId },
  output: UserImport,
  faults: ['not_found'],
  run: async ({ db, caller: { org } }, { id }) => {
    const { started, replaces: _, ...found } = orNotFound(await store.selectUserImport(db, org, id), 'import')
    const data = await store.selectProblems(db, org, id, RECORDS_MAX)
    const status = found.finished ? 'done' : started ? 'running' : 'waiting'
    return withoutNulls({ ...found, status, data: data.map(line => withoutNulls(line)) } as const)
  },
})
