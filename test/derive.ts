// What the derived tests make of a declaration: a call that is right, and calls that are wrong in one field each.
import type { TSchema } from 'typebox'
import { sectionsOf } from '../src/host/host.ts'
import { compileCheck } from '../src/kit/check.ts'
import { jsonrpc, native } from '../src/kit/dialect.ts'
import type { Operation } from '../src/kit/operation.ts'
import { services } from '../src/services/index.ts'
import type { Answer, Ask, TestHost } from './host.ts'
import { identityOf } from './identity.ts'
import { specimen } from './specimen.ts'

export type Entry = { id: string; operation: Operation }

/** The product, and the specimen that has what no service has yet. */
export const everyService = [...services, specimen]
export const every: Entry[] = sectionsOf(everyService).flatMap(({ operations }) =>
  Object.entries(operations).map(([id, operation]) => ({ id, operation })),
)

export type Input = Record<string, unknown>
type Fields = Record<string, TSchema & { examples?: unknown[]; pattern?: string }>

export const fieldsOf = ({ input }: Operation): Fields => input.properties as Fields
export const requiredOf = ({ input }: Operation): string[] => (input as { required?: string[] }).required ?? []

const checks = new WeakMap<TSchema, ReturnType<typeof compileCheck>>()

/** Compiled once for each schema: tests ask about the same fields thousands of times. */
function checkOf(schema: TSchema): ReturnType<typeof compileCheck> {
  const check = checks.get(schema) ?? compileCheck(schema)
  checks.set(schema, check)
  return check
}

/** A right input: the example of every required field, made unique by the salt where the field allows it. */
export function exampleInput(operation: Operation, salt: string): Input {
  const input: Input = {}
  for (const name of requiredOf(operation)) {
    const schema = fieldsOf(operation)[name] as Fields[string]
    const example = schema.examples?.[0]
    if (example === undefined) throw new Error(`${operation.path}: give ${name} an example, which the tests can send`)
    const unique = [`${example}-${salt}`, `${example}${salt.replaceAll('-', '')}`]
    const fits = typeof example === 'string' && unique.find(text => checkOf(schema).passes(text))
    input[name] = fits || example
  }
  return input
}

/** How an operation that takes any method is called here. */
export const methodOf = ({ method }: Operation) => (method === 'ANY' ? 'POST' : method)

const inBody = ({ bodyKind }: Operation) => bodyKind === 'json' || bodyKind === 'parsed'

/** Whether a body may be sent at all. */
export const takesBody = ({ bodyKind }: Operation) => bodyKind !== 'none'

/** The code of the fault in an answer, whichever dialect it is told in; null where the dialect has none. */
export function codeIn({ dialect }: Operation, { body }: Answer): string | null {
  if (dialect === native) return body.error.code
  return dialect === jsonrpc ? body.error.data.code : null
}

/** Sends an input as the declaration says it travels. */
export function send(host: TestHost, { operation }: Entry, input: Input, ask: Ask = {}): Promise<Answer> {
  const rest = { ...input }
  const method = methodOf(operation)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(input[name]).toWellFormed())
  })
  if (inBody(operation)) return host.call(`${method} ${path}`, { body: rest, ...ask })
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]) => [name, String(value)] as [string, string]),
  )
  return host.call(`${method} ${path}${query.size > 0 ? `?${query}` : ''}`, ask)
}

const TEXTS = ['', ' ', 'No Such Thing!', 'x'.repeat(3_000), '\u202e']
const NONSENSE = [17, -1, 0.5, true, null, ...TEXTS, [], [[]], {}, { a: 1 }]

/** Whether there is anything that a field refuses. */
export function refusesSome(operation: Operation, field: string): boolean {
  const { type, pattern, maxLength, enum: values } = fieldsOf(operation)[field] as TSchema & Record<string, unknown>
  const isText = operation.pathFields.includes(field) || !inBody(operation)
  if (isText && type === 'string') return pattern !== undefined || maxLength !== undefined
  return type !== undefined || values !== undefined
}

/** Values the field refuses. In the path and the query everything travels as text, so only text is tried there. */
export function wrongValues(operation: Operation, field: string): unknown[] {
  const schema = fieldsOf(operation)[field] as TSchema
  const check = checkOf(schema)
  const asText = operation.pathFields.includes(field) || !inBody(operation)
  const number = ['integer', 'number'].includes((schema as { type?: string }).type ?? '')
  return NONSENSE.filter(value => {
    if (!asText) return !check.passes(value)
    if (typeof value === 'number' && number) return !check.passes(value)
    return typeof value === 'string' && !check.passes(value) && !(value === '' && operation.pathFields.includes(field))
  })
}

/** What a right call says, and who says it: the bearer of a key, or with null a browser by its headers. */
export type Thing = { input: Input; as: string | null; headers?: Record<string, string> }

/** Things that no POST of an ordinary organisation makes. */
const MADE: Record<string, (host: TestHost, salt: string) => Promise<Thing>> = {
  '/v1/iam/orgs/{slug}': async (host, salt) => {
    const { org, key } = await host.organisation(`o-${salt}`)
    return { input: { slug: org }, as: key }
  },
  '/v1/iam/me/password': async (host, salt) => {
    const { key, password } = await host.organisation(`o-${salt}`)
    return { input: { current: password }, as: key }
  },
  '/v1/account/callback': comeBack,
  '/v1/account/logout': async host => {
    const browser = await host.signIn(host.home)
    const { csrfToken } = (await host.call('GET /v1/account/csrf', { as: null, headers: browser })).body
    return { input: {}, as: null, headers: { ...browser, 'x-csrf-token': csrfToken } }
  },
  '/v1/specimen/within/{slug}': async host => ({ input: { slug: 'web-shop' }, as: host.home.key }),
  '/v1/specimen/away/{engine}': async host => ({ input: { engine: 'warehouse' }, as: host.home.key }),
  '/v1/risk/reference/{set}': async host => ({ input: { set: 'domain' }, as: host.home.key }),
  '/v1/risk/reference/resolve': async host => ({ input: {}, as: host.home.key }),
  '/v1/risk/reference/refresh': async host => ({ input: { set: 'bin' }, as: host.admin.key }),
  '/v1/iam/sessions/{id}': async (host, salt) => {
    return { input: { id: await makeSignIn(host, `s${salt.replaceAll('-', '')}`) }, as: host.home.key }
  },
}

/** Somebody signed in to an app of home, without the way through a browser that leads there. */
export async function makeSignIn(host: TestHost, app: string): Promise<string> {
  const body = { app, type: 'public', redirectUris: ['https://shop.example.com/callback'] }
  const { id } = (await host.call('POST /v1/iam/apps', { body })).body
  const [row] = await host.db<{
    id: string
  }>`insert into oidc (brand, model, digest, payload, user_id, client, consumed)
    values ('default', 'Grant', sha256(convert_to(${id}, 'UTF8')), '{"iat": 1794733200}', ${host.home.user}, ${id}, now())
    returning 'sin_' || left(encode(digest, 'hex'), 32) as id`
  return row?.id ?? ''
}

/** A right call on a thing that is there: its input, and the key of who may call. */
export async function rightCall(host: TestHost, entry: Entry, salt: string): Promise<Thing> {
  const { operation } = entry
  const made = await MADE[operation.path]?.(host, salt)
  const key = operation.access === 'superadmin' ? host.admin.key : host.home.key
  const { as, headers = {} } = made ?? { as: key }
  const input = { ...exampleInput(operation, salt), ...(made?.input ?? (await makeThing(host, entry, salt, key))) }
  return { input: 'confirm' in fieldsOf(operation) ? { ...input, confirm: input.slug } : input, as, headers }
}

/** A browser that has signed in at the identity origin and is about to come back. */
async function comeBack(host: TestHost): Promise<Thing> {
  const browser = identityOf(host).browser()
  const begun = await host.call('GET /v1/account/login', { as: null })
  const form = await browser.go(begun.headers.location as string)
  const { email, password } = host.home
  const { url } = await browser.submit(form, { email, password })
  const cookie = String(begun.headers['set-cookie']).split(';', 1)[0] as string
  return { input: Object.fromEntries(new URL(url).searchParams), as: null, headers: { cookie } }
}

/** Makes the thing an operation's path names, by the POST on the collection above it, and answers the path fields. */
async function makeThing(host: TestHost, { operation }: Entry, salt: string, as: string): Promise<Input> {
  const field = operation.pathFields.at(-1)
  if (!field) return {}
  const collection = operation.path.slice(0, operation.path.indexOf(`/{${field}}`))
  const maker = every.find(one => one.operation.method === 'POST' && one.operation.path === collection)
  if (!maker) throw new Error(`${operation.path}: no POST ${collection} makes one; teach test/derive.ts how`)
  const above = await makeThing(host, maker, salt, as)
  const made = await send(host, maker, { ...exampleInput(maker.operation, salt), ...above }, { as })
  if (made.status !== 201) throw new Error(`POST ${collection} answered ${made.status}: ${made.text}`)
  return { ...above, [field]: made.body[field] }
}
