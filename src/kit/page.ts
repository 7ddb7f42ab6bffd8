// Listings: `{"data":[…],"next":""}`, where `next` is an opaque cursor, empty on the last page.
import { type TSchema, Type } from 'typebox'
import { Fault } from './fault.ts'

export const listing = <Item extends TSchema>(item: Item) =>
  Type.Object({
    data: Type.Array(item),
    next: Type.String({ description: 'Send it as `after` to get the next page; empty on the last' }),
  })

/** The key a cursor stands for, or the empty string, which sorts before every key. */
export function keyAfter(cursor: string | undefined): string {
  const key = Buffer.from(cursor ?? '', 'base64url').toString('utf8')
  if (cursorFor(key) === (cursor ?? '') && !key.includes('\0')) return key
  throw wrongCursor()
}

export const wrongCursor = () =>
  new Fault('invalid_input', {
    message: 'The cursor in `after` is not one this listing gave; start again without it.',
    fields: [{ path: 'after', says: 'must be the `next` of an earlier page' }],
  })

/** A page out of the rows found when one more than the page holds was asked for. */
export function page<Row>(rows: Row[], limit: number, keyOf: (row: Row) => string): { data: Row[]; next: string } {
  const data = rows.slice(0, limit)
  return { data, next: rows.length > limit ? cursorFor(keyOf(data.at(-1) as Row)) : '' }
}

const cursorFor = (key: string) => Buffer.from(key, 'utf8').toString('base64url')
