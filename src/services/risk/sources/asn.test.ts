import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { iana, iana32 } from './iana.ts'
import { x4bnetHosting } from './x4bnet-hosting.ts'

const HEADER = 'Number,Description,WHOIS,RDAP,Reference,Registration Date'

describe("IANA's autonomous system numbers", () => {
  const rows = [
    '0,Reserved,,,[RFC7607],',
    '1-1876,Assigned by ARIN,whois.arin.net,https://rdap.arin.net/registryhttp://rdap.arin.net/registry,,',
    '1877-1901,Assigned by RIPE NCC,whois.ripe.net,https://rdap.db.ripe.net/,,',
    '2043,Assigned by APNIC,whois.apnic.net,https://rdap.apnic.net/,,2016-05-25',
    '23456,AS_TRANS; reserved by [RFC6793],,,[RFC6793],',
    '64496-64511,For documentation and sample code; reserved by [RFC5398],,,[RFC5398],2008-12-03',
    '65540-65550,Assigned by LACNIC,whois.lacnic.net,https://rdap.lacnic.net/rdap/,,',
    '65600-65700,Assigned by AFRINIC,whois.afrinic.net,,,',
    '402333-4199999999,Unallocated,,,,',
    '4294967295,Something new,,,[RFC7300],',
  ]
  const members = [
    { key: '0-0', value: { status: 'reserved' } },
    { key: '1-1876', value: { registry: 'arin', status: 'delegated' } },
    { key: '1877-1901', value: { registry: 'ripe', status: 'delegated' } },
    { key: '2043-2043', value: { registry: 'apnic', status: 'delegated' } },
    { key: '23456-23456', value: { status: 'reserved' } },
    { key: '402333-4199999999', value: { status: 'unallocated' } },
    { key: '4294967295-4294967295', value: { status: 'other' } },
    { key: '64496-64511', value: { status: 'reserved' } },
    { key: '65540-65550', value: { registry: 'lacnic', status: 'delegated' } },
    { key: '65600-65700', value: { registry: 'afrinic', status: 'delegated' } },
  ]

  it('are ranges with their registry and status', () => {
    assert.deepEqual(iana.parse?.(`${[HEADER, ...rows].join('\r\n')}\r\n`), { members, dropped: 0 })
  })

  it('do not depend on the order of rows; the row that refers to the other table is dropped', () => {
    const pointer = '0-65535,See Sub-registry 16-bit AS numbers,,,[RFC1930],'
    const text = `\ufeff${[HEADER, ...rows.toReversed(), pointer].join('\n')}`
    assert.deepEqual(iana32.parse?.(text), { members, dropped: 1 })
  })

  it('are rejected from another table, or with a bad row among few', () => {
    assert.throws(() => iana.parse?.('AS Number,Reason\n0,Reserved\n'), /no column named Number, Description/)
    for (const row of ['4294967296,Reserved,,,,', '9-8,Reserved,,,,', '7-,'])
      assert.throws(() => iana.parse?.([HEADER, row, ...rows].join('\n')), /^Error: 1 of 11 rows/, row)
  })
})

describe('autonomous systems of hosting companies', () => {
  const lines = [
    '# hosting',
    'AS45090 # Tencent cloud computing, they dont really monitor their network',
    'AS55286\t# SERVER-MANIA, CA',
    'AS133752',
    'AS133752 # LEASEWEB # Asia',
    '',
    'as8560  #',
  ]
  const members = [
    { key: '133752-133752', value: { class: 'hosting', name: 'LEASEWEB # Asia' } },
    {
      key: '45090-45090',
      value: { class: 'hosting', name: 'Tencent cloud computing, they dont really monitor their network' },
    },
    { key: '55286-55286', value: { class: 'hosting', name: 'SERVER-MANIA, CA' } },
    { key: '8560-8560', value: { class: 'hosting' } },
  ]

  it('have the name in the comment after them, if any', () => {
    assert.deepEqual(x4bnetHosting.parse?.(lines.join('\n')), { members, dropped: 0 })
    assert.deepEqual(x4bnetHosting.parse?.(`${lines.toReversed().join('\r\n')}\r\n`), { members, dropped: 0 })
  })

  it('tolerate one bad row in two hundred', () => {
    for (const row of ['ASx # a', 'AS 1 # a', 'AS1.10 # b']) {
      assert.throws(() => x4bnetHosting.parse?.([row, ...lines].join('\n')), /^Error: 1 of 6 rows/, row)
      const many = Array.from({ length: 40 }, () => lines).flat()
      assert.deepEqual(x4bnetHosting.parse?.([row, ...many].join('\n')).members, members, row)
    }
  })

  it('are rejected with a wide range, however many rows are right', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `AS${at + 1}`)
    for (const row of ['AS0-AS4294967295 # oops', 'AS1-AS2000', '64512-65534'])
      assert.throws(() => x4bnetHosting.parse?.([row, ...many].join('\n')), /implausibly wide range/, row)
    assert.equal(x4bnetHosting.parse?.(['AS5000-AS5009', ...many].join('\n')).members.length, 1_001)
  })
})
