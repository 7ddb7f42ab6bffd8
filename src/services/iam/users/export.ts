// The operation GET /v1/iam/users/export: all customers, in the format of an import.
import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { Passwords, Sql } from '../../../engines/engines.ts'
import { jsonLines, reply } from '../../../kit/answer.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { secret, string, timestamp } from '../../../kit/fields.ts'
import { OLDEST } from '../../../kit/page.ts'
import { CustomerId, Email } from '../fields.ts'
import { operation } from '../state.ts'
import * as store from './store.ts'
import { Blocked, Metadata, Verified } from './users.ts'

/** How many customers of an export are in memory. */
const ROWS_AT_ONCE = 200

export const ExportedUser = Type.Object(
  {
    user: CustomerId,
    email: Email,
    emailVerified: Verified,
    name: Type.Optional(string('The name, if there is one', 'Ada Lovelace')),
    metadata: Metadata,
    blocked: Blocked,
    created: timestamp('When the account was created'),
    password: Type.Optional(
      Type.Object(
        { hash: secret('The hash, in a self-describing format', '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$…') },
        { description: 'The hash of the password, if there is one' },
      ),
    ),
  },
  { additionalProperties: false, description: 'A customer in the format of an import' },
)

export const exportUsers = operation({
  route: 'GET /v1/iam/users/export',
  summary: 'Streams all customers, oldest first, with their password hashes',
  description: `Each line is a record that \`POST /v1/iam/users/import\` accepts. If the export fails midway, the connection is closed before the body is complete. Customers who are created or changed during the export may be missing or outdated.`,
  access: 'admin',
  output: jsonLines(ExportedUser),
  issuesCredential: true, // Hashes allow offline guessing of passwords.
  audit: 'user.export',
  run: async ({ db, caller, passwords, write }) => {
    // Before the first line is sent.
    await write(async ({ record }) => record('users'))
    const headers = {
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="users.ndjson"',
    }
    return reply(200, headers, Readable.from(pagesOf(db, passwords, caller.org), { objectMode: false }))
  },
})

async function* pagesOf(db: Sql, passwords: Passwords, org: OrgId): AsyncGenerator<string> {
  for (let last = OLDEST; ; ) {
    const rows = await store.selectWithHashes(db, org, last, ROWS_AT_ONCE)
    const end = rows.at(-1)
    if (!end) return
    yield rows.map(row => `${JSON.stringify(recordOf(passwords, row))}\n`).join('')
    if (rows.length < ROWS_AT_ONCE) return
    last = { created: end.created, id: end.user }
  }
}

function recordOf(
  passwords: Passwords,
  { user, email, emailVerified, name, metadata, blocked, created, password }: store.CustomerWithHash,
): Static<typeof ExportedUser> {
  return {
    ...{ user, email, emailVerified },
    ...(name !== '' && { name }),
    ...{ metadata, blocked, created },
    ...(password !== null && { password: { hash: passwords.exported(password) } }),
  }
}
