// Operations under /v1/iam/audit: the audit trail of the organisation.
import { Type } from 'typebox'
import { invalidField } from '../../../kit/check.ts'
import { string, timestamp, withoutNulls } from '../../../kit/fields.ts'
import { listing, numberFrom, page, paging, shownAs } from '../../../kit/page.ts'
import { UserId } from '../fields.ts'
import { operation } from '../state.ts'
import * as store from './store.ts'

const AuditChange = Type.Object(
  {
    from: Type.Optional(Type.Unknown({ description: 'The old value; absent if there was none' })),
    to: Type.Optional(Type.Unknown({ description: 'The new value; absent if there is none' })),
  },
  { title: 'AuditChange', description: 'How a field was changed' },
)

const AuditEntry = Type.Object(
  {
    id: string('The id of the entry; later ones are greater', '4711'),
    at: timestamp('When the action happened'),
    user: Type.Optional(
      string(
        'The id of the person who acted; absent if the credential belongs to no person',
        'usr_4vJ9mWcX2bQeT7yLrK0sZp1n',
      ),
    ),
    email: Type.Optional(string('The e-mail address of that person at the time', 'ada@example.com')),
    credential: string(
      'The id of the key or session that was used; `stoa` for actions of Stoa itself',
      'key_4vJ9mWcX2bQeT7yLrK0sZp1n',
    ),
    what: string('The name of the action', 'project.create'),
    on: string('The id or name of what was changed', 'web-shop'),
    changes: Type.Optional(
      Type.Record(Type.String(), AuditChange, { description: 'The old and new values, by field name' }),
    ),
    ip: string('The IP address of the client; empty for actions of Stoa itself', '192.0.2.7'),
    requestId: string('The `X-Request-Id` of the request; empty without one', 'req_4vJ9mWcX2bQeT7yLrK0sZp1n'),
  },
  { title: 'AuditEntry', description: 'An action that changed something in the organisation' },
)

export const listAudit = operation({
  route: 'GET /v1/iam/audit',
  summary: 'Lists the audit trail: who did what to which object, when and from where, newest first',
  description:
    'Entries are append-only: nobody can change or delete one. Reads are not recorded, except those that disclose secrets.',
  access: 'admin',
  input: {
    user: Type.Optional({ ...UserId, description: 'The id of a person, `usr_…`: only their actions' }),
    what: Type.Optional(string('Only this action, such as `key.revoke`', 'key.revoke', { maxLength: 100 })),
    since: Type.Optional(timestamp('Only entries at or after this time')),
    ...paging,
  },
  output: listing(AuditEntry),
  run: async ({ db, caller: { org } }, { user, what, since, ...query }) => {
    const from = since === undefined ? null : timeFrom(since)
    const after = from === null ? 0 : await store.selectIdBefore(db, org, from)
    const select = (last: string, count: number) => {
      const before = last === '' ? Number.MAX_SAFE_INTEGER : numberFrom(last)
      return store.selectAudit(db, org, { user, what }, { after, before, since: from ?? '-infinity' }, count)
    }
    return shownAs(page(query, select, 'id'), ({ user, email, changes, ...row }) =>
      withoutNulls({ ...row, user, email, changes }),
    )
  },
})

/** The range of years that both the database and the format allow. */
function timeFrom(since: string): string {
  const time = new Date(since)
  const year = time.getUTCFullYear()
  if (year >= 1 && year <= 9999) return time.toISOString()
  throw invalidField('since', 'must be a valid time between the years 1 and 9999')
}
