// Operations under /v1/iam/audit: the trail of what was done in the organisation.
import { Type } from 'typebox'
import { pageAfter, pageLimit, timestamp } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'
import { keyAfter, listing, page, wrongCursor } from '../../kit/page.ts'
import * as store from './store.ts'

const PAGE = { fallback: 50, max: 200 }

const AuditEntry = Type.Object({
  id: Type.String(),
  at: timestamp('When it was done'),
  user: Type.String({ description: 'Who did it, by id' }),
  email: Type.String({ description: 'Who did it, by the e-mail address of that time' }),
  credential: Type.String({ description: 'With which key or session, by id' }),
  what: Type.String({ description: 'What was done', examples: ['key.revoke'] }),
  on: Type.String({ description: 'To which thing' }),
  ip: Type.String({ description: 'From which address' }),
  requestId: Type.String({ description: 'The X-Request-Id of the request that did it' }),
})

export const listAudit = operation({
  route: 'GET /v1/iam/audit',
  summary: 'What was done in the organisation, by whom, to what, when and from where, newest first',
  access: 'admin',
  input: { limit: pageLimit(PAGE), after: pageAfter() },
  output: listing(AuditEntry),
  run: async ({ db, caller }, { limit = PAGE.fallback, after }) => {
    const count = Math.min(limit, PAGE.max)
    const last = keyAfter(after)
    if (!/^\d{0,15}$/.test(last)) throw wrongCursor()
    const rows = await store.selectAudit(
      db,
      caller.org,
      last === '' ? Number.MAX_SAFE_INTEGER : Number(last),
      count + 1,
    )
    return page(rows, count, ({ id }) => id)
  },
})
