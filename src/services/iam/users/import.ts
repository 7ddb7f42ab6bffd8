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
  summary: 'Imports customers from another system, with their password hashes',
  description:
    'The import runs in the background: `GET /v1/iam/users/imports/{id}` returns its progress, and which records were not imported and why. No mail is sent. A customer whose address already has an account is not imported, unless `replace` is true: then the record replaces the account, and its sign-ins end; only owners may do that. An address counts as verified only if the record says so. Hashes from Auth0 and Supabase (bcrypt, argon2), Keycloak (argon2, pbkdf2) and Firebase (its scrypt) are accepted, and are replaced at the next sign-in; hashes that would cost too much to verify are rejected.',
  access: 'admin',
  input: {
    users: Type.Array(anyValueFor(ImportedUser), {
      minItems: 1,
      maxItems: RECORDS_MAX,
      description: `At most ${RECORDS_MAX} records; the report lists the invalid ones`,
      examples: [[{ email: 'ada@example.com', name: 'Ada Lovelace', emailVerified: true }]],
    }),
    replace: Type.Optional(boolean('Whether existing accounts are replaced', false)),
    firebase: Type.Optional(FirebaseProject),
  },
  output: Type.Object({ id: ImportId }, { title: 'UserImportStarted', description: 'An import that has begun' }),
  status: 202,
  bodyLimit: 4 * MIB,
  faults: ['conflict'],
  issuesCredential: true, // Choosing the hash of a password allows signing in as the customer.
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

/** Replacing a customer takes over the account. */
function requireOwner({ role }: Caller): void {
  if (role !== 'owner') throw new Fault('forbidden', { message: 'Only an owner of the organisation may do this.' })
}

const ReportLine = Type.Object(
  {
    line: integer('The number of the record in the request, from 1', 17),
    email: Type.Optional(Email),
    problem: Type.Enum(['exists', 'invalid', 'password', 'bound', 'failed'], {
      description:
        'Why it was not imported. `exists`: the address already has an account; `invalid`: a field is invalid; `password`: the hash cannot be used; `bound`: the organisation has its maximum number of customers; `failed`: an internal error, so that the record can be sent again',
      examples: ['exists'],
    }),
    says: string('The reason in words', 'The address already has an account.'),
  },
  { title: 'UserImportProblem', description: 'A record that was not imported' },
)

const UserImport = Type.Object(
  {
    id: ImportId,
    status: Type.Enum(['waiting', 'running', 'done'], {
      description: 'The progress of the import',
      examples: ['done'],
    }),
    by: { ...UserId, description: 'The id of the person who requested it' },
    total: integer('How many records there are', 1_000),
    added: integer('How many accounts were created so far', 999),
    replaced: integer('How many accounts were replaced so far', 0),
    failed: integer('How many records were not imported so far', 1),
    data: Type.Array(ReportLine, { description: 'The records that were not imported, in the order of the request' }),
    created: timestamp('When it was requested'),
    finished: Type.Optional(timestamp('When all records were processed')),
  },
  { title: 'UserImport', description: 'An import of customers. It is kept for 30 days' },
)

export const getUserImport = operation({
  route: 'GET /v1/iam/users/imports/{id}',
  summary: 'Returns the progress of a customer import, and the records that were not imported',
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
