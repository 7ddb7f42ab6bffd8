import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canRead, memberFrom } from './match.ts'
import { hasCarried } from './net.ts'

describe('an address or prefix', () => {
  for (const [text, member, why] of [
    ['1.2.3.4', '1.2.3.4/32', 'an address is a prefix of its whole length'],
    ['1.2.3.4/24', '1.2.3.0/24', 'bits beyond the length are cleared'],
    ['255.255.255.255/1', '128.0.0.0/1', 'down to one bit'],
    ['1.2.3.4/0', '0.0.0.0/0', 'down to none'],
    ['01.2.3.4', null, 'a zero in front could mean octal'],
    ['1.2.3', null, 'short forms are guesses'],
    ['2130706433', null, 'so is one number'],
    ['0x7f.0.0.1', null, 'so is hexadecimal'],
    ['1.2.3.256', null, 'an octet has 8 bits'],
    ['1.2.3.4.', null, 'a dot divides'],
    ['1..2.3', null, 'an octet is not empty'],
    ['1.2.3.4.5', null, 'there are four'],
    ['1.2.3.4/33', null, 'there are 32 bits'],
    ['1.2.3.4/08', null, 'a length has no padding'],
    ['1.2.3.4/', null, 'it is not empty'],
    ['1.2.3.4/+8', null, 'it is digits'],
    ['1.2.3.4/8/8', null, 'there is one'],
    ['[1.2.3.4]', null, 'brackets are for IPv6'],
    [' 1.2.3.4 ', '1.2.3.4/32', 'white space around is dropped'],
    ['1.2.3. 4', null, 'white space inside is not'],
    ['::', '::/128', 'all zeroes'],
    ['::/0', '::/0', 'everything'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128', 'of equal runs the first is shortened'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128', 'one group alone is not'],
    ['2001:0db8::00ff', '2001:db8::ff/128', 'zeroes in front of a group go'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3/128', 'the longest run is shortened'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0/128', '`::` can be one group'],
    ['1:2:3:4:5:6:7::8', null, 'but not none'],
    ['1::2::3', null, 'it stands once'],
    ['1:2:3:4:5:6:7', null, 'there are eight groups'],
    ['1:2:3:4:5:6:7:8:9', null, 'no more'],
    ['12345::', null, 'a group has four digits'],
    [':1::', null, 'a colon divides'],
    ['1:', null, 'at the end too'],
    [':::', null, 'three are none'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33', 'bits beyond the length are cleared within a group'],
    ['2001:db8::/129', null, 'there are 128 bits'],
    ['[2001:db8::1]', '2001:db8::1/128', 'brackets as in a URL'],
    ['[2001:db8::1', null, 'both of them'],
    ['2001:db8::1]', null, 'on both sides'],
    ['[2001:db8::]/32', null, 'around an address only'],
    ['fe80::1%eth0', null, 'a zone means something on one machine only'],
    ['::1.2.3.4', '::102:304/128', 'the old compatible form stays IPv6'],
    ['1:2:3:4:5:6:7:1.2.3.4', null, 'a dotted quad is two groups'],
    ['::1.2.3.04', null, 'and strict'],
    ['1.2.3.4::', null, 'and last'],
    ['::ffff:1.2.3.4', '1.2.3.4/32', 'a mapped address is the IPv4 address'],
    ['::ffff:0102:0304', '1.2.3.4/32', 'in hexadecimal'],
    ['0:0:0:0:0:FFFF:1.2.3.4', '1.2.3.4/32', 'at full length'],
    ['[::ffff:1.2.3.4]', '1.2.3.4/32', 'in brackets'],
    ['::ffff:1.2.3.4/120', '1.2.3.0/24', 'a mapped prefix is the IPv4 prefix'],
    ['::ffff:0:0/96', '0.0.0.0/0', 'up to all of IPv4'],
    ['::ffff:1.2.3.4/95', null, 'one that spans more is neither'],
    ['64:ff9b::1.2.3.4', '1.2.3.4/32', 'what NAT64 carries is the IPv4 address'],
    ['64:ff9b::/96', '64:ff9b::/96', 'the range of the translator is its own'],
    ['64:ff9b:1::1.2.3.4', '64:ff9b:1::102:304/128', 'local translators are unknown'],
    [`1.2.3.4${' '.repeat(506)}`, null, 'a text has up to 512 bytes'],
    ['mailinator.com', null, 'a name is no address'],
    ['', null, 'nothing is nothing'],
  ] as const) {
    it(`${JSON.stringify(text.slice(0, 40))} is ${member ?? 'refused'}: ${why}`, () => {
      assert.equal(memberFrom('net', text), member)
      assert.equal(canRead('net', text), member !== null)
    })
  }

  it('has carried IPv4 in it when one of them, or some of them, are', () => {
    const having = ['64:ff9b::/96', '64:ff9b::/95', '64:ff9b::1.2.3.0/120', '64::/16', '::/0', '::/80', '::ff00:0:0/88']
    const without = [
      ...['2000::/3', '64:ff9b:1::/48', '64:ff9b:0:0:0:1::/96', '64:ff9c::/32', '::/96', '::1/128', '::ffff:0:0/96'],
      ...['64:ff9b::1.2.3.4', '1.2.3.4', '0.0.0.0/0', 'nothing'],
    ]
    assert.deepEqual(having.filter(hasCarried), having)
    assert.deepEqual(without.filter(hasCarried), [])
  })

  it('is one exactly when the platform says so, but for zones', () => {
    const soup = fc.string({ unit: fc.constantFrom('0', '1', 'f', '25', ':', '::', '.', 'ffff'), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(soup, fc.ipV4(), fc.ipV6()), text => {
        assert.equal(memberFrom('net', text) !== null, isIP(text) !== 0, text)
      }),
      { numRuns: 3000 },
    )
  })
})
