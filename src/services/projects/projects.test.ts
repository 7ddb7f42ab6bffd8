import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'

const host = await startHost()

describe('projects', () => {
  it('creates', async () => {
    const made = await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })
    assert.equal(made.status, 201)
  })
})
