// One record of an import: its fields, and what is stored of them. Invalid records are listed in the report.
import { type Static, Type } from 'typebox'
import type { FirebaseParameters, Passwords } from '../../../engines/engines.ts'
import { compileCheck } from '../../../kit/check.ts'
import { integer, string, timestamp } from '../../../kit/fields.ts'
import { CustomerId, Email } from '../fields.ts'
import type { ImportedCustomer, Problem, ProblemKind } from './imports.store.ts'
import { Blocked, isTooLarge, Metadata, Name, TOO_LARGE, Verified } from './users.ts'

const ALGORITHMS = ['bcrypt', 'argon2', 'pbkdf2', 'pbkdf2-sha256', 'pbkdf2-sha512', 'firebase-scrypt'] as const

const ImportedPassword = Type.Object(
  {
    hash: string(
      'A self-describing hash (`$2b$…`, `$argon2id$…`, `$scrypt$…`, or one from an export), or a hash in base64',
      '$2b$10$Q7gNKVdLTRSAOPB7PsAUfu9DhWi2jMWgkOLYeD1JvLBYNpJaGAdtC',
      { minLength: 1, maxLength: 1_024 },
    ),
    algorithm: Type.Optional(
      Type.Enum([...ALGORITHMS], {
        description: 'For a hash in base64: its algorithm as Keycloak names it, or `firebase-scrypt`',
      }),
    ),
    salt: Type.Optional(string('For a hash in base64: the salt, in base64', '42xEC+ixf3L2lw==', { maxLength: 512 })),
    iterations: Type.Optional(integer('For argon2 and pbkdf2: `hashIterations` in Keycloak', 5)),
    memory: Type.Optional(integer('For argon2: the memory in KiB', 7_168)),
    parallelism: Type.Optional(integer('For argon2: default 1', 1)),
    type: Type.Optional(Type.Enum(['id', 'i', 'd'], { description: 'For argon2: default `id`' })),
    version: Type.Optional(Type.Enum(['1.0', '1.3'], { description: 'For argon2: default `1.3`' })),
  },
  {
    additionalProperties: false,
    description: 'The password hash, as exported by Auth0, Firebase, Supabase, Keycloak or another Stoa',
  },
)

export const ImportedUser = Type.Object(
  {
    email: Email,
    emailVerified: Type.Optional(Verified),
    name: Type.Optional(Name),
    metadata: Type.Optional(Metadata),
    blocked: Type.Optional(Blocked),
    created: Type.Optional(timestamp('When the account was created; default now')),
    password: Type.Optional(ImportedPassword),
    user: Type.Optional({
      ...CustomerId,
      description: 'The id from an export. It is ignored: the account gets a new one',
    }),
  },
  { title: 'ImportedUser', additionalProperties: false, description: 'A customer in the format of an import' },
)

export const FirebaseProject = Type.Object(
  {
    signerKey: string('`base64_signer_key`', 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVM=', { maxLength: 512 }),
    saltSeparator: string('`base64_salt_separator`', 'Bw==', { maxLength: 512 }),
    rounds: integer('`rounds`', 8, { minimum: 1, maximum: 8 }),
    memCost: integer('`mem_cost`', 14, { minimum: 1, maximum: 14 }),
  },
  {
    additionalProperties: false,
    description:
      'The password hash parameters of the Firebase project, for hashes with `firebase-scrypt`. They are not stored',
  },
)

const check = compileCheck(ImportedUser)
const isAddress = compileCheck(Email)

type Reading = { passwords: Passwords; firebase: FirebaseParameters | undefined; now: string }

export function readRecord(by: Reading, record: unknown): { record: ImportedCustomer } | Problem {
  const refused = (problem: ProblemKind, says: string): Problem => ({ problem, says, email: addressOf(record) })
  if (!check.passes(record)) {
    const { path, says } = check.faults(record)[0] ?? { path: 'body', says: 'is not valid' }
    return refused('invalid', path === 'body' ? `The record ${says}` : `\`${path}\` ${says}`)
  }
  // The check has validated it, which the compiler does not know.
  const { email, emailVerified = false, name = '', metadata = {}, blocked = false, ...rest } = record as Given
  if (isTooLarge(metadata)) return refused('invalid', `\`metadata\` ${TOO_LARGE}`)
  const created = rest.created === undefined ? null : new Date(rest.created).toISOString()
  if (created !== null && (created > by.now || created < '1970')) {
    return refused('invalid', '`created` must be a time in the past, after 1970')
  }
  const password = rest.password && by.passwords.adopt({ ...rest.password, firebase: by.firebase })
  if (password && 'problem' in password) return refused('password', `\`password.hash\` ${password.problem}`)
  const customer = { email: email.toLowerCase(), name, metadata, emailVerified, blocked, created }
  return { record: { ...customer, password: password?.digest ?? null } }
}

type Given = Static<typeof ImportedUser>

function addressOf(record: unknown): string | null {
  const { email } = (record ?? {}) as { email?: unknown }
  return typeof email === 'string' && isAddress.passes(email) ? email.toLowerCase() : null
}
