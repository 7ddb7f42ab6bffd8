import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reserved4, reserved6 } from './reserved.ts'

const HEADER = 'Address Block,Name,RFC,Allocation Date,Termination Date,Source'
const block = (key: string, name: string) => ({ key, value: { class: 'reserved', operator: 'iana', name } })

describe('the special-purpose blocks of IPv4', () => {
  const rows = [
    '0.0.0.0/8,"""This network""","[RFC791], Section 3.2",1981-09,N/A,True',
    '127.0.0.0/8,Loopback [1],"[RFC1122], Section 3.2.1.3",1981-09,N/A,False [1]',
    '192.0.0.0/24 [2],IETF Protocol Assignments,"[RFC6890], Section 2.1",2010-01,N/A,False',
    '"192.0.0.170/32, 192.0.0.171/32",NAT64/DNS64 Discovery,[RFC8880],2013-02,N/A,False',
    '192.88.99.0/24,Deprecated (6to4 Relay Anycast),[RFC7526],2001-06,2015-03,',
    '255.255.255.255/32,Limited Broadcast,"[RFC8190]\n        [RFC919], Section 7",1984-10,N/A,False',
  ]
  const members = [
    block('0.0.0.0/8', 'This network'),
    block('127.0.0.0/8', 'Loopback'),
    block('192.0.0.0/24', 'IETF Protocol Assignments'),
    block('192.0.0.170/32', 'NAT64/DNS64 Discovery'),
    block('192.0.0.171/32', 'NAT64/DNS64 Discovery'),
    block('192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)'),
    block('255.255.255.255/32', 'Limited Broadcast'),
  ]
  const table = (lines: string[]) => [HEADER, ...lines].join('\r\n')

  it('are split into single blocks with names, without footnotes and quotes', () => {
    assert.deepEqual(reserved4.parse?.(`${table(rows)}\r\n`), { members, dropped: 0 })
  })

  it('do not depend on order and byte order mark', () => {
    assert.deepEqual(reserved4.parse?.(`\ufeff${table(rows.toReversed())}`), { members, dropped: 0 })
  })

  it('are rejected from another table and from one truncated in a cell', () => {
    assert.throws(
      () => reserved4.parse?.('Prefix,Designation\r\n000/8,IANA\r\n'),
      /no column named Address Block, Name/,
    )
    assert.throws(() => reserved4.parse?.(table(rows).split('[RFC919]')[0] ?? ''), /ends inside a quoted cell/)
  })

  it('are rejected with a single bad row, as the list is short', () => {
    for (const row of ['10.0.0.0/8,Priv', '10/8,Private-Use,,,,'])
      assert.throws(() => reserved4.parse?.(table([row, ...rows])), /^Error: 1 of 8 rows/)
  })

  it('are accepted as in the current registry, but not with a public block in addition', () => {
    const current = [
      '0.0.0.0/8',
      '0.0.0.0/32',
      '10.0.0.0/8',
      '100.64.0.0/10',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.0.0.0/24',
      '192.0.0.0/29',
      '192.0.0.8/32',
      '192.0.0.9/32',
      '192.0.0.10/32',
      '192.0.2.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.88.99.0/24',
      '192.168.0.0/16',
      '192.175.48.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
      '255.255.255.255/32',
    ]
    const whole = table(current.map(block => `${block},Name,,,,`))
    assert.equal(reserved4.parse?.(whole).members.length, current.length)
    assert.throws(() => reserved4.parse?.(`${whole}\n8.0.0.0/8,Level 3,,,,`), /too many public unicast addresses/)
  })

  it('are rejected if they cover public addresses, in one block or in many', () => {
    const many = Array.from({ length: 16 }, (_, at) => `${at * 2 + 32}.0.0.0/9`)
    for (const blocks of [['0.0.0.0/1', '128.0.0.0/1'], ['0.0.0.0/0'], ['8.0.0.0/5'], ['192.0.0.0/2'], many])
      assert.throws(
        () => reserved4.parse?.(table(blocks.map(block => `${block},Oops,,,,`))),
        /too many public unicast addresses/,
      )
  })
})

describe('the special-purpose blocks of IPv6', () => {
  it('exclude the IPv4-mapped block, which would cover every IPv4 address', () => {
    const text = [
      HEADER,
      '::1/128,Loopback Address,[RFC4291],2006-02,N/A,False',
      '::ffff:0:0/96,IPv4-mapped Address,[RFC4291],2006-02,N/A,False',
      '2002::/16 [3],6to4,[RFC3056],2001-02,N/A,True',
    ].join('\n')
    assert.deepEqual(reserved6.parse?.(text), {
      members: [block('2002::/16', '6to4'), block('::1/128', 'Loopback Address')],
      dropped: 1,
    })
  })

  it('are accepted as in the current registry, but not with a public block in addition', () => {
    const current = [
      '::1/128',
      '::/128',
      '64:ff9b::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '100:0:0:1::/64',
      '2001::/23',
      '2001::/32',
      '2001:1::1/128',
      '2001:2::/48',
      '2001:3::/32',
      '2001:4:112::/48',
      '2001:10::/28',
      '2001:20::/28',
      '2001:30::/28',
      '2001:db8::/32',
      '2002::/16',
      '2620:4f:8000::/48',
      '3fff::/20',
      '5f00::/16',
      'fc00::/7',
      'fe80::/10',
    ]
    const table = (blocks: string[]) => [HEADER, ...blocks.map(block => `${block},Name,,,,`)].join('\n')
    assert.equal(reserved6.parse?.(table(current)).members.length, current.length)
    for (const block of ['::/0', '::/1', '2000::/3', '2400::/7', '2a00::/12', '::ffff:0:0/97'])
      assert.throws(() => reserved6.parse?.(table([...current, block])), /too many public unicast addresses/, block)
  })

  it('never yield an IPv4 member', () => {
    const blocks = ['64:ff9b::/96', '64:ff9b:1::/48', '::ffff:0:0/96', 'fc00::/7']
    const text = [HEADER, ...blocks.map(block => `${block},Name,,,,`)].join('\n')
    const keys = reserved6.parse?.(text).members.map(({ key }) => key) ?? []
    assert.ok(keys.includes('fc00::/7'))
    for (const key of keys) assert.match(key, /:/)
  })
})
