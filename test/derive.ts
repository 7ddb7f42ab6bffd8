// Derives calls from the declaration of an operation: a valid call, and values that a field rejects.
import type { TSchema } from 'typebox'
import { sectionsOf } from '../src/host/host.ts'
import { compileCheck } from '../src/kit/check.ts'
import { jsonrpc, native } from '../src/kit/dialect.ts'
import type { Operation } from '../src/kit/operation.ts'
import { services } from '../src/services/index.ts'
import type { Answer, RequestOptions, TestHost } from './host.ts'
import { identityOf, registerApp } from './identity.ts'
import { chatCompletion } from './model-server.ts'
import { specimen } from './specimen.ts'
import { catchUp } from './warehouse.ts'
import { failedDelivery } from './webhook-delivery.ts'

export type Entry = { id: string; operation: Operation }

/** The services of the product, and the specimen for kinds of operations that the product does not have yet. */
export const allServices = [...services, specimen]
export const allOperations: Entry[] = sectionsOf(allServices).flatMap(({ operations }) =>
  Object.entries(operations).map(([id, operation]) => ({ id, operation })),
)

export type Input = Record<string, unknown>
type Fields = Record<string, TSchema & { examples?: unknown[]; pattern?: string }>

export const fieldsOf = ({ input }: Operation): Fields => input.properties as Fields
export const requiredOf = ({ input }: Operation): string[] => (input as { required?: string[] }).required ?? []

const checks = new WeakMap<TSchema, ReturnType<typeof compileCheck>>()

/** Compiles each schema once: tests check the same fields thousands of times. */
function checkOf(schema: TSchema): ReturnType<typeof compileCheck> {
  const check = checks.get(schema) ?? compileCheck(schema)
  checks.set(schema, check)
  return check
}

/** A valid input: the example of every required field, made unique with the salt if the field allows it. */
export function exampleInput(operation: Operation, salt: string): Input {
  const input: Input = {}
  for (const name of requiredOf(operation)) {
    const schema = fieldsOf(operation)[name] as Fields[string]
    const example = schema.examples?.[0]
    if (example === undefined) throw new Error(`${operation.path}: ${name} needs an example that the tests can send`)
    const unique = [`${example}-${salt}`, `${example}${salt.replaceAll('-', '')}`]
    const fits = typeof example === 'string' && unique.find(text => checkOf(schema).passes(text))
    input[name] = fits || example
  }
  return input
}

/** Operations with the method ANY are called with POST. */
export const methodOf = ({ method }: Operation) => (method === 'ANY' ? 'POST' : method)

/** Whether the fields are sent in the body. Bodies for called operations contain no own fields. */
const hasJsonFields = ({ bodyKind, callsOperations }: Operation) =>
  bodyKind === 'json' || (bodyKind === 'parsed' && !callsOperations)

export const acceptsBody = ({ bodyKind }: Operation) => bodyKind !== 'none'

/** The code of the fault in an answer; null if the dialect of the operation has no codes. */
export function faultCodeOf({ dialect }: Operation, { body }: Answer): string | null {
  if (dialect === native) return body.error.code
  return dialect === jsonrpc ? (body.error.data?.code ?? null) : null
}

/** Sends each field in the path, the query or the body, as declared. */
export function send(
  host: TestHost,
  { operation }: Entry,
  input: Input,
  options: RequestOptions = {},
): Promise<Answer> {
  const rest = { ...input }
  const method = methodOf(operation)
  const path = operation.path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(input[name]).toWellFormed())
  })
  const example = operation.bodyExample === undefined ? {} : { body: operation.bodyExample as object }
  if (hasJsonFields(operation)) {
    const others = Object.entries(example.body ?? {}).filter(([name]) => !(name in fieldsOf(operation)))
    return host.call(`${method} ${path}`, { body: { ...Object.fromEntries(others), ...rest }, ...options })
  }
  const query = new URLSearchParams(
    Object.entries(rest).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)])),
  )
  return host.call(`${method} ${path}${query.size > 0 ? `?${query}` : ''}`, { ...example, ...options })
}

const TEXTS = ['', ' ', 'No Such Thing!', 'x'.repeat(3_000), '\u202e']
const CANDIDATES = [17, -1, 0.5, true, null, ...TEXTS, [], [[]], {}, { a: 1 }]

/** Whether the schema of a field rejects any value. */
export function hasInvalidValues(operation: Operation, field: string): boolean {
  const { type, pattern, maxLength, enum: values } = fieldsOf(operation)[field] as TSchema & Record<string, unknown>
  const asText = operation.pathFields.includes(field) || !hasJsonFields(operation)
  if (asText && type === 'string') return pattern !== undefined || maxLength !== undefined
  return type !== undefined || values !== undefined
}

/** Values that the field rejects. In path and query only texts, and numbers for numeric fields, can be sent. */
export function invalidValues(operation: Operation, field: string): unknown[] {
  const schema = fieldsOf(operation)[field] as TSchema
  const check = checkOf(schema)
  const asText = operation.pathFields.includes(field) || !hasJsonFields(operation)
  const isNumber = ['integer', 'number'].includes((schema as { type?: string }).type ?? '')
  return CANDIDATES.filter(value => {
    if (!asText) return !check.passes(value)
    if (typeof value === 'number' && isNumber) return !check.passes(value)
    return typeof value === 'string' && !check.passes(value) && !(value === '' && operation.pathFields.includes(field))
  })
}

/** A valid input, and the credential to send it with: a bearer key, or null and the headers of a browser. */
export type ValidCall = { input: Input; as: string | null; headers?: Record<string, string> }

/** Valid calls of paths whose resource `createResource` cannot create. */
const SPECIAL_CALLS: Record<string, (host: TestHost, salt: string) => Promise<ValidCall>> = {
  '/v1/iam/orgs/{slug}': async (host, salt) => {
    const { org, key } = await host.organisation(`o-${salt}`)
    return { input: { slug: org }, as: key }
  },
  '/v1/iam/me/password': async (host, salt) => {
    const { key, password } = await host.organisation(`o-${salt}`)
    return { input: { current: password }, as: key }
  },
  'DELETE /v1/iam/me': customerCall,
  '/v1/iam/me/email': async (host, salt) => {
    const owner = await host.organisation(`o-${salt}`)
    return { input: { current: owner.password }, ...(await host.browser(owner)) }
  },
  '/v1/chat/completions': callOfModel,
  '/v1/messages': callOfModel,
  '/v1/responses': callOfModel,
  '/v1/errors/{fingerprint}': async host => {
    await host.call('POST /v1/event', {
      body: { event: '$exception', properties: { $exception_list: [{ value: 'x' }] } },
    })
    await catchUp(host)
    const { body } = await host.call('GET /v1/errors')
    return { input: { fingerprint: body.data[0].fingerprint }, as: host.home.key }
  },
  '/v1/embeddings': async host => ({ input: { model: 'local-embed-en' }, as: host.home.key }),
  '/v1/models/{id...}': async host => ({ input: { id: 'local-embed-en' }, as: host.home.key }),
  '/v1/ai/requests/{id}': async host => {
    const { input, as } = await callOfModel(host)
    const answer = await host.call('POST /v1/chat/completions', { as, body: { ...input, messages: [] } })
    await host.call('GET /v1/ai/requests', { as }) // Which waits until it is settled.
    return { input: { id: answer.headers['x-request-id'] }, as }
  },
  'POST /v1/billing/credits': async host => ({ input: { org: host.home.org }, as: host.admin.key }),
  '/v1/account/callback': signInCallback,
  '/v1/account/logout': async host => ({ input: {}, ...(await host.browser(host.home)) }),
  '/v1/iam/me/invitations/{id}/accept': invitedCall,
  '/v1/iam/me/invitations/{id}/decline': invitedCall,
  '/v1/specimen/project-in-path/{slug}': async host => ({ input: { slug: 'web-shop' }, as: host.home.key }),
  '/v1/specimen/engine-unavailable/{engine}': async host => ({ input: { engine: 'warehouse' }, as: host.home.key }),
  '/v1/risk/reference/{set}': async host => ({ input: { set: 'domain' }, as: host.home.key }),
  '/v1/risk/reference/resolve': async host => ({ input: {}, as: host.home.key }),
  '/v1/risk/reference/refresh': async host => ({ input: { set: 'bin' }, as: host.admin.key }),
  '/v1/o11y/dead-letters/{id}/retry': async host => ({
    input: { id: await insertDeadLetter(host) },
    as: host.admin.key,
  }),
  '/v1/o11y/mail/{id}': async host => ({ input: { id: await keepMail(host) }, as: host.admin.key }),
  '/v1/webhooks/{id}/deliveries/{delivery}': async host => ({
    input: await failedDelivery(host),
    as: host.home.key,
  }),
  '/v1/webhooks/{id}/deliveries/{delivery}/resend': async host => ({
    input: await failedDelivery(host),
    as: host.home.key,
  }),
  '/v1/event/{vendor}': async host => ({ input: { vendor: 'segment' }, as: host.home.key }),
  '/v1/event/{vendor}/{rest...}': async host => ({ input: { vendor: 'posthog', rest: 'flags' }, as: host.home.key }),
  '/v1/iam/users/imports/{id}': async host => {
    const users = [{ email: 'imported@example.com' }]
    const { id } = (await host.call('POST /v1/iam/users/import', { body: { users } })).body
    return { input: { id }, as: host.home.key }
  },
  '/v1/iam/sessions/{id}': async (host, salt) => {
    return { input: { id: await insertSignIn(host, `s${salt.replaceAll('-', '')}`) }, as: host.home.key }
  },
}

/** A customer who is signed in. */
export async function customerCall(host: TestHost, salt: string): Promise<ValidCall> {
  const identity = identityOf(host)
  const app = await registerApp(host, identity, { app: `c${salt.replace(/\W/g, '')}`, more: { people: 'users' } })
  const who = { email: `${salt}@example.com`, password: 'walnut-desk-twelve-green' }
  await host.call('POST /v1/iam/users', { body: { ...who, emailVerified: true } })
  return { input: {}, as: (await app.signIn(who)).tokens.access_token }
}

/** A call of a model whose provider is mocked. */
async function callOfModel(host: TestHost): Promise<ValidCall> {
  const provider = { name: 'derived', baseUrl: 'http://models.test', models: [{ id: 'derived' }] }
  const { status } = await host.call('POST /v1/ai/providers', { as: host.admin.key, body: provider })
  if (status === 201) {
    const path = host.mockAgent.get('http://models.test').intercept({ path: '/v1/chat/completions', method: 'POST' })
    path.reply(200, chatCompletion()).persist()
  }
  return { input: { model: 'derived' }, as: host.home.key }
}

/** An event that a consumer failed to handle; its id. */
export async function insertDeadLetter(host: TestHost): Promise<string> {
  const envelope = { id: 'evt_1', type: 'project.created', tenant: host.home.org, time: '2026-11-15T09:00:00.000Z' }
  const [row] = await host.db<{ id: number }>`insert into dead_letters (consumer, tenant, subject, envelope, error, at)
    values ('nobody', ${host.home.org}, 'project.created', ${JSON.stringify(envelope)}, 'failed', now()) returning id`
  return String(row?.id)
}

/** A mail that was written to a file; its id. */
export async function keepMail(host: TestHost): Promise<string> {
  await host.keptMail.keep({ to: 'ada@example.com', subject: 'Join Home', text: 'https://stoa.example/join\n' })
  return (await host.call('GET /v1/o11y/mail?limit=1', { as: host.admin.key })).body.data[0].id
}

/** A new person who is invited to another organisation, and signed in. */
async function invitedCall(host: TestHost): Promise<ValidCall> {
  const invited = await host.member(host.home.org, 'member')
  const body = { email: invited.email, role: 'member' }
  const { id } = (await host.call('POST /v1/iam/invites', { as: host.admin.key, body })).body
  return { input: { id }, ...(await host.browser(invited)) }
}

/** Inserts a sign-in to a new app of `home` into the database, without a browser. */
export async function insertSignIn(host: TestHost, app: string): Promise<string> {
  const body = { app, type: 'public', people: 'team', redirectUris: ['https://shop.example.com/callback'] }
  const { id } = (await host.call('POST /v1/iam/apps', { body })).body
  const [row] = await host.db<{
    id: string
  }>`insert into oidc (brand, model, digest, payload, user_id, client, org, consumed, signed_in)
    values ('default', 'Grant', sha256(convert_to(${id}, 'UTF8')), '{"iat": 1794733200}', ${host.home.user}, ${id}, 'home',
      now(), to_timestamp(1794733200))
    returning 'sin_' || left(encode(digest, 'hex'), 32) as id`
  return row?.id ?? ''
}

/** A valid call by a caller who has access. Creates the resource that the path names. */
export async function validCall(host: TestHost, entry: Entry, salt: string): Promise<ValidCall> {
  const { operation } = entry
  const special = await (SPECIAL_CALLS[`${operation.method} ${operation.path}`] ?? SPECIAL_CALLS[operation.path])?.(
    host,
    salt,
  )
  const key = operation.access === 'superadmin' ? host.admin.key : host.home.key
  const own: RequestOptions = operation.access === 'person' ? await host.browser(host.home) : { as: key }
  const { as = key, headers = {} } = special ?? own
  const input = {
    ...exampleInput(operation, salt),
    ...(special?.input ?? (await createResource(host, entry, salt, key))),
  }
  return { input: 'confirm' in fieldsOf(operation) ? { ...input, confirm: input.slug } : input, as, headers }
}

/** The callback request of a browser that has signed in at the identity origin. */
async function signInCallback(host: TestHost): Promise<ValidCall> {
  const browser = identityOf(host).browser()
  const login = await host.call('GET /v1/account/login', { as: null })
  const form = await browser.go(login.headers.location as string)
  const { email, password } = host.home
  const { url } = await browser.submit(form, { email, password })
  const cookie = String(login.headers['set-cookie']).split(';', 1)[0] as string
  return { input: Object.fromEntries(new URL(url).searchParams), as: null, headers: { cookie } }
}

/** Creates the resource that a path names with the POST of its collection, and returns the path fields. */
async function createResource(host: TestHost, { operation }: Entry, salt: string, as: string): Promise<Input> {
  const field = operation.pathFields.at(-1)
  if (!field) return {}
  const collection = operation.path.slice(0, operation.path.indexOf(`/{${field}}`))
  const creator = allOperations.find(one => one.operation.method === 'POST' && one.operation.path === collection)
  if (!creator) throw new Error(`no POST ${collection}: add ${operation.path} to SPECIAL_CALLS in test/derive.ts`)
  const parents = await createResource(host, creator, salt, as)
  const created = await send(host, creator, { ...exampleInput(creator.operation, salt), ...parents }, { as })
  if (created.status !== 201) throw new Error(`POST ${collection} answered ${created.status}: ${created.text}`)
  return { ...parents, [field]: created.body[field] }
}
