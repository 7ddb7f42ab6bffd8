// Operations under /v1/iam/audit: the audit trail of the organisation.
import { Type } from 'typebox'
import { timestamp } from '../../kit/fields.ts'
import { invalidCursor, listing, page, paging } from '../../kit/page.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const AuditEntry = Type.Object({
  id: Type.String(),
  at: timestamp('When the action happened'),
  user: Type.Optional(
    Type.String({ description: 'The id of the person who acted; absent if the credential belongs to no person' }),
  ),
  email: Type.Optional(Type.String({ description: 'The e-mail address of that person at the time' })),
  credential: Type.String({ description: 'The id of the key or session that was used' }),
  what: Type.String({ description: 'The name of the action', examples: ['key.revoke'] }),
  on: Type.String({ description: 'The id or name of what was changed' }),
  changes: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ from: Type.Optional(Type.Unknown()), to: Type.Optional(Type.Unknown()) }),
      { description: 'The old and new values, by field name' },
    ),
  ),
  ip: Type.String({ description: 'The IP address of the client' }),
  requestId: Type.String({ description: 'The `X-Request-Id` of the request' }),
})

export const listAudit = operation({
  route: 'GET /v1/iam/audit',
  summary: 'Lists the audit trail: who did what to which object, when and from where, newest first',
  access: 'admin',
  input: paging,
  output: listing(AuditEntry),
  run: async ({ db, caller }, query) => {
    const found = await page(
      query,
      (last, count) => store.selectAudit(db, caller.org, last === '' ? null : idFrom(last), count),
      ({ id }) => id,
    )
    return { ...found, data: found.data.map(entryOf) }
  },
})

const entryOf = ({ user, email, changes, ...row }: store.AuditRow) => ({
  ...row,
  ...(user !== null && { user }),
  ...(email !== null && { email }),
  ...(changes !== null && { changes }),
})

function idFrom(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidCursor()
  return Number(text)
}
