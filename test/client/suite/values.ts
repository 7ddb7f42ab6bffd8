// Calls that succeed, and faults of the host.
import type { Recorded } from '../unreliable-server.ts'
import { against, type Case, check, connected, rejection, same } from './case.ts'

export const values: Record<string, Case> = {
  'creates, gets, updates and deletes': async environment => {
    const stoa = connected(environment)
    const slug = `${environment.prefix}-shop`
    const created = await stoa.createProject({ slug, name: 'Web shop' })
    same(created.slug, slug)
    same(await stoa.getProject({ slug }), created)
    same((await stoa.updateProject({ slug, name: 'Shop' })).name, 'Shop')
    same(await stoa.deleteProject({ slug }), undefined)
    const error = await rejection(stoa.getProject({ slug }))
    check(error instanceof environment.client.NotFoundError, 'NotFoundError')
  },

  'lists a page, and every item through all pages': async environment => {
    const stoa = connected(environment)
    const slugs = ['a', 'b', 'c', 'd', 'e'].map(letter => `${environment.prefix}-page-${letter}`)
    for (const slug of slugs) await stoa.createProject({ slug, name: slug })
    const before = await stoa.listProjects({ limit: 200 })
    const mine = (all: { slug: string }[]) => all.map(({ slug }) => slug).filter(slug => slugs.includes(slug))
    same(mine(before.data), slugs)
    same(before.next, '')
    const collected: { slug: string }[] = []
    for await (const project of stoa.listProjectsAll({ limit: 2 })) collected.push(project)
    same(collected, before.data, 'all')
    const first = await stoa.listProjects({ limit: 2 })
    const rest: { slug: string }[] = []
    for await (const project of stoa.listProjectsAll({ limit: 2, after: first.next })) rest.push(project)
    same([...first.data, ...rest], before.data, 'after')
    const controller = new AbortController()
    const seen: string[] = []
    const loop = async () => {
      for await (const { slug } of stoa.listProjectsAll({}, { signal: controller.signal })) {
        seen.push(slug)
        controller.abort(new Error('enough'))
      }
    }
    same((await rejection(loop())).message, 'enough')
    same(seen.length, 1, 'items before the abort')
  },

  'repeats a field of a query that has several values': async environment => {
    const stoa = connected(environment)
    const where = ['path:in:/a,/b', 'country:is:AT']
    same((await stoa.listEventNames({ where })).data, [])
    const error = await rejection(stoa.listEventNames({ where: [...where, 'colour:is:red'] }))
    check(/names `colour`/.test(error.message), error.message)
  },

  'throws the fault that the host answers': async environment => {
    const { StoaError, StoaApiError, ConflictError } = environment.client
    const stoa = connected(environment)
    const slug = `${environment.prefix}-taken`
    await stoa.createProject({ slug, name: 'Taken' })
    const error = await rejection(stoa.createProject({ slug, name: 'Taken' }))
    for (const type of [Error, StoaError, StoaApiError, ConflictError]) check(error instanceof type, type.name)
    const { name, status, code, type, param, fields, retryAfter } = error
    const shape = { name: 'ConflictError', status: 409, code: 'conflict', type: 'conflict_error', param: 'slug' }
    const more = { fields: [{ path: 'slug', says: 'is taken' }], retryAfter: null }
    same({ name, status, code, type, param, fields, retryAfter }, { ...shape, ...more })
    check(/choose another slug/.test(error.message), error.message)
    check(/^req_/.test(error.requestId), error.requestId)
    same(error.headers.get('x-request-id'), error.requestId)
  },

  'is refused with a wrong key, and without one': async environment => {
    const { createStoa, AuthenticationError } = environment.client
    const { baseUrl } = environment
    const wrong = createStoa({ baseUrl, key: 'sk-wrong', dangerouslyAllowBrowser: true })
    const error = await rejection(wrong.listProjects())
    check(error instanceof AuthenticationError && error.code === 'credential_refused', String(error))
    const none = createStoa({ baseUrl })
    same((await rejection(none.listProjects())).code, 'credential_required')
    same((await none.getHealth()).status, 'up')
  },

  'gives the response with the value': async environment => {
    const stoa = connected(environment)
    const slug = `${environment.prefix}-response`
    const { data, response, requestId } = await stoa.createProject({ slug, name: 'Response' }).withResponse()
    same([data.slug, response.status], [slug, 201])
    check(requestId !== null && requestId === response.headers.get('x-request-id'), `request id ${requestId}`)
    const error = await rejection(stoa.getProject({ slug: 'missing' }).withResponse())
    check(error instanceof environment.client.NotFoundError, 'the error of withResponse')
  },

  'returns an answer of another format as a response': async environment => {
    const response = await connected(environment).getOpenapi()
    same(((await response.json()) as { openapi: string }).openapi.slice(0, 3), '3.1')
  },

  'returns a redirect as it is, and does not follow it': async environment => {
    const { stoa, recorded } = against(environment, 'redirect-then-ok', { headers: { 'x-secret': '1' } })
    const response = await stoa.getOpenapi()
    // A page cannot read a redirect.
    if (response.type !== 'opaqueredirect') {
      same([response.status, response.headers.get('location')], [303, 'elsewhere'])
      same(await response.text(), 'Elsewhere')
    }
    same((await recorded()).length, 1, 'requests')
  },

  'sends headers of the client and of the call': async environment => {
    const { stoa, recorded } = against(environment, 'ok', { headers: { 'X-Project-Id': 'a', 'x-one': '1' } })
    await stoa.getProject({ slug: 'web-shop' }, { headers: { 'x-project-id': 'b' } })
    const [{ headers }] = (await recorded()) as [Recorded]
    same([headers['x-project-id'], headers['x-one']], ['b', '1'])
    const error = await rejection(stoa.getProject({ slug: 'a' }, { headers: { 'x-bad': 'a\nb' } }))
    check(error instanceof TypeError, `an invalid header is a TypeError, not ${error}`)
  },

  'escapes a path field so that it stays within its segment': async environment => {
    const { stoa, recorded } = against(environment, 'ok')
    await stoa.getProject({ slug: 'a/b?c#d%' })
    for (const slug of ['', '.', '..']) {
      check((await rejection(stoa.deleteProject({ slug }))) instanceof TypeError, `TypeError for "${slug}"`)
    }
    same(
      (await recorded()).map(({ path }) => path),
      ['/v1/projects/a%2Fb%3Fc%23d%25'],
    )
  },

  'verifies a webhook': async ({ client, webhook }) => {
    same(await client.verifyWebhook(webhook), JSON.parse(webhook.payload))
    same(await client.verifyWebhook({ ...webhook, headers: new Headers(webhook.headers) }), JSON.parse(webhook.payload))
    const error = await rejection(client.verifyWebhook({ ...webhook, payload: `${webhook.payload} ` }))
    check(error instanceof client.WebhookVerificationError, String(error))
  },
}
