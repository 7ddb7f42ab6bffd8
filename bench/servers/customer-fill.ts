// Customers of one organisation: who they are, and their rows. The load generator knows them too, by their number.
import { createHash } from 'node:crypto'
import type { Database } from '../../src/engines/engines.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { termsOf } from '../../src/services/iam/users/terms.ts'

export const PASSWORD = 'walnut-desk-twelve-green'

const FIRST =
  'Maria Ada Grace Alan Barbara Edsger Frances Donald Radia Ken Margaret Dennis Karen Linus Joan Tim Hedy John Evelyn Niklaus Jean Leslie Adele Tony Sophie Robin Kathleen Butler Mary Ivan Shafi Andrew Lynn Whitfield Anita Martin Susan Ralph Irene Vint'.split(
    ' ',
  )
const LAST =
  'Garcia Lovelace Hopper Turing Liskov Dijkstra Allen Knuth Perlman Thompson Hamilton Ritchie Sparck Torvalds Clarke Berners Lamarr Backus Boyd Wirth Bartik Lamport Goldberg Hoare Wilson Milner Booth Lampson Keller Sutherland Goldwasser Yao Conway Diffie Borg Hellman Kare Merkle Greif Cerf Müller Schmidt Novák Kowalski Rossi Silva Nguyen Kim Sato Okafor Haddad Ivanova Jansen Nilsen Byrne Costa Dubois Yilmaz Patel Chen'.split(
    ' ',
  )
/** Four of ten have this domain. */
export const COMMON_DOMAIN = 'mail.example'
/** A few of the first ones have this domain, however many customers there are. */
export const RARE_DOMAIN = 'rare.example'
const RARE = 5
const COMPANIES = 20_000

export type Person = { user: string; email: string; name: string; isBlocked: boolean }

/** Numbers that look like chance, the same in every process. */
const mixed = (n: number, salt: number) => (Math.imul(n + 1, 0x9e3779b1 + salt * 0x85ebca6c) >>> 8) / 2 ** 24

/** Some names are much more frequent than others: the first of the lists are. */
const oneOf = (all: readonly string[], chance: number) => all[Math.floor(chance ** 2 * all.length)] as string

export function personOf(n: number): Person {
  const [first, last] = [oneOf(FIRST, mixed(n, 1)), oneOf(LAST, mixed(n, 3))]
  const local = `${first}.${last}${n}`
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^\w.]/g, '')
  return {
    user: `cus_${createHash('sha256').update(String(n)).digest('hex').slice(0, 24)}`,
    email: `${local}@${domainOf(n)}`,
    name: `${first} ${last}`,
    isBlocked: n % 50 === 49,
  }
}

function domainOf(n: number): string {
  if (n < RARE) return RARE_DOMAIN
  const chance = mixed(n, 5)
  if (chance < 0.4) return COMMON_DOMAIN
  return chance < 0.7 ? 'post.example' : `company${Math.floor(mixed(n, 7) * COMPANIES)}.example`
}

/** Customer n of `count` registered `count - n` seconds ago. */
export const createdOf = (n: number, count: number, now: string): string =>
  new Date(Date.parse(now) - (count - n) * 1_000).toISOString()

const AT_ONCE = 5_000

export async function fillCustomers(db: Database, org: OrgId, count: number, digest: string, now: string) {
  for (let from = 0; from < count; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => from + at)
    const people = numbers.map(n => ({ ...personOf(n), created: createdOf(n, count, now) }))
    await db.transaction(async tx => {
      await tx`insert into customers
          (id, org, email, name, password, metadata, email_verified, blocked, created, updated)
        select id, ${org}, email, name, ${digest}, '{"plan": "pro"}', created,
          case when is_blocked then created end, created, created
        from unnest(${people.map(({ user }) => user)}::text[], ${people.map(({ email }) => email)}::text[],
          ${people.map(({ name }) => name)}::text[], ${people.map(({ isBlocked }) => isBlocked)}::bool[],
          ${people.map(({ created }) => created)}::timestamptz[]) as one (id, email, name, is_blocked, created)`
      const terms = people.flatMap(one => termsOf(one).map(term => ({ ...one, ...term })))
      await tx`insert into customer_terms (org, blocked, shared, term, customer)
        select ${org}, one.* from unnest(${terms.map(({ isBlocked }) => isBlocked)}::bool[],
          ${terms.map(({ shared }) => shared)}::int[], ${terms.map(({ term }) => term)}::text[],
          ${terms.map(({ user }) => user)}::text[]) as one`
    })
  }
}
