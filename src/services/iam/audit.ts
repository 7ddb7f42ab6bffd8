// Operations under /v1/iam/audit: the trail of what was done in the organisation.
import { Type } from 'typebox'
import { timestamp } from '../../kit/fields.ts'
import { listing, page, paging, wrongCursor } from '../../kit/page.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const AuditEntry = Type.Object({
  id: Type.String(),
  at: timestamp('When it was done'),
  user: Type.Optional(Type.String({ description: 'Who did it, by id; absent where a credential stands for nobody' })),
  email: Type.Optional(Type.String({ description: 'Who did it, by the e-mail address of that time' })),
  credential: Type.String({ description: 'With which key or session, by id' }),
  what: Type.String({ description: 'What was done', examples: ['key.revoke'] }),
  on: Type.String({ description: 'To which thing' }),
  changes: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ from: Type.Optional(Type.Unknown()), to: Type.Optional(Type.Unknown()) }),
      {
        description: 'What changed, by the name of the field',
      },
    ),
  ),
  ip: Type.String({ description: 'From which address' }),
  requestId: Type.String({ description: 'The X-Request-Id of the request that did it' }),
})

export const listAudit = operation({
  route: 'GET /v1/iam/audit',
  summary: 'What was done in the organisation, by whom, to what, when and from where, newest first',
  access: 'admin',
  input: paging,
  output: listing(AuditEntry),
  run: async ({ db, caller }, asked) => {
    const found = await page(
      asked,
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
  if (!/^\d{1,15}$/.test(text)) throw wrongCursor()
  return Number(text)
}
