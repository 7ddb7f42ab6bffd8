// The calls that tests of keys make; with home's key by default.
import assert from 'node:assert/strict'
import type { Answer, TestHost } from './host.ts'

type Fields = Record<string, unknown>

export function keyCalls({ call, home }: TestHost) {
  const create = (fields: Fields = {}, as = home.key) =>
    call('POST /v1/account/keys', { as, body: { name: 'A key', ...fields } })
  const made = async (fields?: Fields, as?: string): Promise<Answer['body']> => {
    const answer = await create(fields, as)
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const list = async (query = '', as = home.key): Promise<Answer['body']> =>
    (await call(`GET /v1/account/keys${query}`, { as })).body
  return {
    create,
    made,
    list,
    patch: (id: string, body: Fields, as = home.key) => call(`PATCH /v1/account/keys/${id}`, { as, body }),
    rotate: (id: string, body?: Fields, as = home.key) => call(`POST /v1/account/keys/${id}/rotate`, { as, body }),
    revoke: (id: string, as = home.key) => call(`DELETE /v1/account/keys/${id}`, { as }),
    listed: async (id: string, as?: string): Promise<Answer['body']> =>
      (await list('?limit=200', as)).data.find((key: { id: string }) => key.id === id),
    use: (key: string) => call('GET /v1/projects', { as: key }),
  }
}
