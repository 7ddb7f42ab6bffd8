// Listings: `{"data":[…],"next":""}`, where `next` is an opaque cursor, empty on the last page.
import { type TSchema, Type } from 'typebox'
import { Fault } from './fault.ts'

const FALLBACK = 50
const MAX = 200

/** What a listing takes. Above the maximum a limit is clamped, so a client that asks for too much still gets a page. */
export const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `How many to answer; ${FALLBACK} unless said, ${MAX} at most`,
      examples: [FALLBACK],
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{0,1024}$',
      description: 'The `next` of the page before; omit it for the first page',
      examples: [''],
    }),
  ),
}

/** What it answers. */
export const listing = <Item extends TSchema>(item: Item) =>
  Type.Object({
    data: Type.Array(item),
    next: Type.String({ description: 'Send it as `after` to get the next page; empty on the last' }),
  })

/** A page of what `select` finds: so many rows, those that come after the one whose key is `last`, empty for the first
 *  page. It is asked for one more than the page holds, to know whether there is another. */
export async function page<Row>(
  { limit = FALLBACK, after = '' }: { limit?: number; after?: string },
  select: (last: string, count: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Promise<{ data: Row[]; next: string }> {
  const count = Math.min(limit, MAX)
  const rows = await select(keyIn(after), count + 1)
  const data = rows.slice(0, count)
  return { data, next: rows.length > count ? cursorFor(keyOf(data.at(-1) as Row)) : '' }
}

/** Where a page ended in a listing that goes by age, and by id where two are equally old. */
export type Position = { created: string; id: string }
export const positionKey = ({ created, id }: Position): string => `${created} ${id}`

export function positionFrom(key: string): Position | null {
  if (key === '') return null
  const [, created = '', id = ''] = key.match(/^([1-9]\d{3}-[\d-]{5}T[\d:.]{12}Z) (\w+)$/) ?? []
  if (Number.isNaN(Date.parse(created))) throw wrongCursor()
  return { created, id }
}

export const wrongCursor = () =>
  new Fault('invalid_input', {
    message: 'The cursor in `after` is not one this listing gave; start again without it.',
    fields: [{ path: 'after', says: 'must be the `next` of an earlier page' }],
  })

function keyIn(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8')
  if (cursorFor(key) === cursor && !key.includes('\0')) return key
  throw wrongCursor()
}

const cursorFor = (key: string) => Buffer.from(key, 'utf8').toString('base64url')
