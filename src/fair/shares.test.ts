import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientNetwork } from './address.ts'
import { openShares } from './shares.ts'

describe('shares', () => {
  it('leave something for the next user, whatever the others take', () => {
    const shares = openShares(100)
    const takeAll = (user: string) => {
      let count = 0
      while (shares.take(user, 1)) count++
      return count
    }
    assert.deepEqual(['a', 'b', 'c', 'd'].map(takeAll), [50, 25, 13, 6])
    assert.equal(shares.take('e', 1), true)
    assert.equal(shares.taken(), 95)
  })

  it('can be taken again after they were given back', () => {
    const shares = openShares(10)
    assert.equal(shares.take('a', 6), true)
    assert.equal(shares.take('a', 1), false)
    assert.equal(shares.take('b', 5), false)
    shares.give('a', 6)
    assert.equal(shares.taken(), 0)
    assert.equal(shares.take('b', 10), true)
  })
})

describe('the network of a client', () => {
  for (const [address, network] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ] as const) {
    it(`of ${address || 'an unknown address'} is ${network || 'empty'}`, () =>
      assert.equal(clientNetwork(address), network))
  }
})
