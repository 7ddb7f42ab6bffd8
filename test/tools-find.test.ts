// Tasks of several steps, done only with the three tools of `?tools=find`, as a model with little context does. It gets the
// task in plain words, searches for tools, reads their descriptions and fills in their arguments.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from './host.ts'

const host = await startHost()

async function ask(name: string, given: object): Promise<{ structuredContent: never; content: { text: string }[] }> {
  const params = { name, arguments: given }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const { result } = (await host.call('POST /v1/mcp?tools=find', { body })).body
  assert.equal(result?.isError, undefined, result?.content[0].text)
  return result
}

/** Finds a tool by words, checks that it takes these arguments, and calls it. The right one is among the first three. */
async function step(words: string, expected: string, given: object = {}) {
  const { tools } = (await ask('tools_find', { query: words, limit: 3 })).structuredContent as {
    tools: { name: string }[]
  }
  const names = tools.map(({ name }) => name)
  assert.ok(names.includes(expected), `"${words}" found ${names.join(', ')}`)
  const { inputSchema } = JSON.parse((await ask('tools_describe', { name: expected })).content[0]?.text ?? '')
  for (const name of Object.keys(given)) assert.ok(name in inputSchema.properties, `${expected} takes ${name}`)
  const { structuredContent, content } = await ask('tools_call', { name: expected, arguments: given })
  // biome-ignore lint/suspicious/noExplicitAny: each tool answers another type
  return (structuredContent ?? content[0]?.text) as any
}

describe('a model with three tools', () => {
  it('sees only those', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { tools } = (await host.call('POST /v1/mcp?tools=find', { as: null, body })).body.result
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ['tools_find', 'tools_describe', 'tools_call'],
    )
  })

  it('creates a project, renames it and finds it in the list', async () => {
    await step('create a new project', 'post_v1_projects', { slug: 'shop', name: 'Shop' })
    await step('rename a project', 'patch_v1_projects_by_slug', { slug: 'shop', name: 'Walnut shop' })
    const { data } = await step('list projects', 'get_v1_projects')
    assert.deepEqual([data[0].name], ['Walnut shop'])
  })

  it('attaches a domain to a project, and removes it', async () => {
    await step('attach a domain host to a project', 'post_v1_projects_by_slug_domains', {
      slug: 'shop',
      host: 'shop.example.com',
    })
    const { data } = await step('list the domains of a project', 'get_v1_projects_by_slug_domains', { slug: 'shop' })
    assert.equal(data.length, 1)
    await step('remove a domain', 'delete_v1_projects_by_slug_domains_by_host', {
      slug: 'shop',
      host: 'shop.example.com',
    })
  })

  it('invites somebody, withdraws the invite, and reads who did that', async () => {
    const invite = { email: 'ada@example.com', role: 'member' }
    const { id } = await step('invite a person by e-mail', 'post_v1_iam_invites', invite)
    await step('withdraw an invite', 'delete_v1_iam_invites_by_id', { id })
    const { data } = await step('audit trail of changes', 'get_v1_iam_audit', { limit: 2 })
    assert.deepEqual([data[0].what, data[0].email], ['invite.delete', host.home.email])
  })

  it('marks an address as trusted, resolves it, and clears the mark', async () => {
    const { sets } = await step('list the sets of risk reference data', 'get_v1_risk_reference')
    const set = sets.find((one: { set: string }) => one.set === 'domain')?.set
    const entries = [{ key: 'walnut.example', verdict: 'allow', note: 'our own' }]
    await step('set overrides of a risk set', 'put_v1_risk_reference_by_set', { set, entries })
    const { answers } = await step('resolve keys against risk data', 'post_v1_risk_reference_resolve', {
      keys: ['walnut.example'],
    })
    assert.equal(answers.length, 1)
    await step('clear an override of a risk set', 'delete_v1_risk_reference_by_set', {
      set,
      key: 'walnut.example',
    })
  })

  it('lists the keys of the organisation and looks at the sessions of a person', async () => {
    const me = await step('who is the caller', 'get_v1_iam_me')
    assert.equal(me.email, host.home.email)
    const { data } = await step('list API keys', 'get_v1_account_keys')
    assert.equal(data.length, 1)
    await step('list sign-in sessions', 'get_v1_iam_sessions')
  })
})
