import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canRead, memberFrom } from './match.ts'
import { hasEmbeddedIpv4 } from './net.ts'

describe('the net reader', () => {
  for (const [text, member, why] of [
    ['1.2.3.4', '1.2.3.4/32', 'an address is a prefix of full length'],
    ['1.2.3.4/24', '1.2.3.0/24', 'bits after the prefix are cleared'],
    ['255.255.255.255/1', '128.0.0.0/1', 'a prefix may have one bit'],
    ['1.2.3.4/0', '0.0.0.0/0', 'a prefix may have no bits'],
    ['01.2.3.4', null, 'a leading zero could mean octal'],
    ['1.2.3', null, 'short forms are ambiguous'],
    ['2130706433', null, 'a single number is ambiguous'],
    ['0x7f.0.0.1', null, 'hexadecimal is ambiguous'],
    ['1.2.3.256', null, 'an octet has 8 bits'],
    ['1.2.3.4.', null, 'a trailing dot is invalid'],
    ['1..2.3', null, 'an octet must not be empty'],
    ['1.2.3.4.5', null, 'there are four octets'],
    ['1.2.3.4/33', null, 'IPv4 has 32 bits'],
    ['1.2.3.4/08', null, 'a length has no leading zero'],
    ['1.2.3.4/', null, 'a length must not be empty'],
    ['1.2.3.4/+8', null, 'a length has only digits'],
    ['1.2.3.4/8/8', null, 'there is only one length'],
    ['[1.2.3.4]', null, 'only IPv6 may be in brackets'],
    [' 1.2.3.4 ', '1.2.3.4/32', 'surrounding white space is trimmed'],
    ['1.2.3. 4', null, 'inner white space is invalid'],
    ['::', '::/128', 'all groups are zero'],
    ['::/0', '::/0', 'all of IPv6'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128', 'the first of equal runs of zeros is compressed'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128', 'a single zero group is not compressed'],
    ['2001:0db8::00ff', '2001:db8::ff/128', 'leading zeros of a group are dropped'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3/128', 'the longest run of zeros is compressed'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0/128', '`::` may replace one group'],
    ['1:2:3:4:5:6:7::8', null, '`::` replaces at least one group'],
    ['1::2::3', null, '`::` may occur once'],
    ['1:2:3:4:5:6:7', null, 'there are eight groups'],
    ['1:2:3:4:5:6:7:8:9', null, 'there are no more than eight groups'],
    ['12345::', null, 'a group has at most four digits'],
    [':1::', null, 'a leading colon is invalid'],
    ['1:', null, 'a trailing colon is invalid'],
    [':::', null, 'three colons are invalid'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33', 'bits after the prefix are cleared within a group'],
    ['2001:db8::/129', null, 'IPv6 has 128 bits'],
    ['[2001:db8::1]', '2001:db8::1/128', 'brackets as in a URL are allowed'],
    ['[2001:db8::1', null, 'the closing bracket is missing'],
    ['2001:db8::1]', null, 'the opening bracket is missing'],
    ['[2001:db8::]/32', null, 'a prefix may not be in brackets'],
    ['fe80::1%eth0', null, 'a zone is only valid on one machine'],
    ['::1.2.3.4', '::102:304/128', 'the deprecated IPv4-compatible form stays IPv6'],
    ['1:2:3:4:5:6:7:1.2.3.4', null, 'a dotted quad replaces two groups'],
    ['::1.2.3.04', null, 'an embedded dotted quad is read strictly'],
    ['1.2.3.4::', null, 'a dotted quad must come last'],
    ['::ffff:1.2.3.4', '1.2.3.4/32', 'a mapped address is the IPv4 address'],
    ['::ffff:0102:0304', '1.2.3.4/32', 'a mapped address may be hexadecimal'],
    ['0:0:0:0:0:FFFF:1.2.3.4', '1.2.3.4/32', 'a mapped address may be uncompressed'],
    ['[::ffff:1.2.3.4]', '1.2.3.4/32', 'a mapped address may be in brackets'],
    ['::ffff:1.2.3.4/120', '1.2.3.0/24', 'a mapped prefix is the IPv4 prefix'],
    ['::ffff:0:0/96', '0.0.0.0/0', 'the mapped block is all of IPv4'],
    ['::ffff:1.2.3.4/95', null, 'a mapped prefix may not cover more than IPv4'],
    ['64:ff9b::1.2.3.4', '1.2.3.4/32', 'a NAT64 address is the IPv4 address'],
    ['64:ff9b::/96', '64:ff9b::/96', 'the NAT64 prefix itself stays IPv6'],
    ['64:ff9b:1::1.2.3.4', '64:ff9b:1::102:304/128', 'local-use NAT64 prefixes are not known'],
    [`1.2.3.4${' '.repeat(506)}`, null, 'a text has at most 512 bytes'],
    ['mailinator.com', null, 'a host name is not an address'],
    ['', null, 'an empty text is not an address'],
  ] as const) {
    const shown = JSON.stringify(text.slice(0, 40))
    it(`${member === null ? `rejects ${shown}` : `reads ${shown} as ${member}`}: ${why}`, () => {
      assert.equal(memberFrom('net', text), member)
      assert.equal(canRead('net', text), member !== null)
    })
  }

  it('detects IPv6 prefixes that contain embedded IPv4 addresses', () => {
    const containing = [
      '64:ff9b::/96',
      '64:ff9b::/95',
      '64:ff9b::1.2.3.0/120',
      '64::/16',
      '::/0',
      '::/80',
      '::ff00:0:0/88',
    ]
    const without = [
      '2000::/3',
      '64:ff9b:1::/48',
      '64:ff9b:0:0:0:1::/96',
      '64:ff9c::/32',
      '::/96',
      '::1/128',
      '::ffff:0:0/96',
      '64:ff9b::1.2.3.4',
      '1.2.3.4',
      '0.0.0.0/0',
      'nothing',
    ]
    assert.deepEqual(containing.filter(hasEmbeddedIpv4), containing)
    assert.deepEqual(without.filter(hasEmbeddedIpv4), [])
  })

  it('accepts the same addresses as `node:net`, except those with zones', () => {
    const similar = fc.string({ unit: fc.constantFrom('0', '1', 'f', '25', ':', '::', '.', 'ffff'), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(similar, fc.ipV4(), fc.ipV6()), text => {
        assert.equal(memberFrom('net', text) !== null, isIP(text) !== 0, text)
      }),
      { numRuns: 3000 },
    )
  })
})
