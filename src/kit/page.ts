// Listings: `{"data":[…],"next":""}`, where `next` is an opaque cursor that is empty on the last page.
import { type TSchema, Type } from 'typebox'
import { Fault } from './fault.ts'

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 200

/** The input of a listing. A limit above the maximum is clamped, so that such a client still gets a page. */
export const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `How many to return; default ${LIMIT_DEFAULT}, at most ${LIMIT_MAX}`,
      examples: [LIMIT_DEFAULT],
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{0,1024}$',
      description: 'The `next` of the previous page; omitted or empty for the first page',
      examples: [''],
    }),
  ),
}

/** The output of a listing. */
export const listing = <Item extends TSchema>(item: Item) =>
  Type.Object({
    data: Type.Array(item, { description: 'The items of this page' }),
    next: Type.String({
      description: 'Send it as `after` to get the next page; empty on the last page',
      examples: [''],
    }),
  })

type Page<Item> = { data: Item[]; next: string }
type KeyName<Row> = { [K in keyof Row]: Row[K] extends string ? K : never }[keyof Row]

/** Returns one page. `key` is the field of a row that is its key, or returns the key. `select` finds `count` rows after
 *  the row with the key `last`, which is empty for the first page. `count` is one more than the page has, to know
 *  whether another page follows. */
export async function page<Row>(
  { limit = LIMIT_DEFAULT, after = '' }: { limit?: number; after?: string },
  select: (last: string, count: number) => Promise<Row[]>,
  key: KeyName<Row> | ((row: Row) => string),
  limitMax = LIMIT_MAX,
): Promise<Page<Row>> {
  const count = Math.min(limit, limitMax)
  const rows = await select(decodeCursor(after), count + 1)
  const data = rows.slice(0, count)
  const keyOf = (row: Row) => (typeof key === 'function' ? key(row) : (row[key] as string))
  return { data, next: rows.length > count ? encodeCursor(keyOf(data.at(-1) as Row)) : '' }
}

/** The last key of a page in a listing sorted by creation time, then by id, newest or oldest first. */
export type Position = { created: string; id: string }
/** Precedes the first row. A value instead of null, so that one indexable predicate fits every page. */
const NEWEST: Position = { created: 'infinity', id: '' }
/** The same for listings with the oldest first. */
export const OLDEST: Position = { created: '-infinity', id: '' }
export const positionKey = ({ created, id }: Position): string => `${created} ${id}`

export function positionFrom(key: string, start = NEWEST): Position {
  if (key === '') return start
  const [, created = '', id = ''] = key.match(/^([1-9]\d{3}-[\d-]{5}T[\d:.]{12}Z) (\w+)$/) ?? []
  // Date reads 30 February as 2 March.
  if (Number.isNaN(Date.parse(created)) || new Date(created).toISOString() !== created) throw invalidCursor()
  return { created, id }
}

/** Returns one page of rows sorted by position, from `start` on. */
export const pageByTime = <Row extends Position>(
  query: { limit?: number; after?: string },
  select: (last: Position, count: number) => Promise<Row[]>,
  start = NEWEST,
  limitMax = LIMIT_MAX,
): Promise<Page<Row>> => page(query, (last, count) => select(positionFrom(last, start), count), positionKey, limitMax)

/** A page with its rows converted for the answer. */
export async function shownAs<Row, Item>(found: Promise<Page<Row>>, shown: (row: Row) => Item): Promise<Page<Item>> {
  const { data, next } = await found
  return { data: data.map(row => shown(row)), next }
}

/** The number that is the key of a row. */
export function numberFrom(key: string): number {
  if (!/^\d{1,15}$/.test(key)) throw invalidCursor()
  return Number(key)
}

export const invalidCursor = () =>
  new Fault('invalid_input', {
    message: 'The cursor in `after` is not from this listing; start again without it.',
    fields: [{ path: 'after', says: 'must be the `next` of a previous page' }],
  })

function decodeCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8')
  if (encodeCursor(key) === cursor && !key.includes('\0')) return key
  throw invalidCursor()
}

const encodeCursor = (key: string) => Buffer.from(key, 'utf8').toString('base64url')
