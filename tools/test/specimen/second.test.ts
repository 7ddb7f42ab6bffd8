// For the test of the runner: fails in the process of `first.test.ts` and passes alone.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

describe('a process', () => {
  it('has no names of others', () => {
    const found = 'leftBehind' in globalThis
    process.stdout.write(found ? 'something was left behind\n' : 'nothing was left behind\n')
    assert.equal(found, false)
  })

  it('runs other tests', () => {})
})
