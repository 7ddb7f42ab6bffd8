import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { digitalocean, linode, relay, vultr } from './lists.ts'

const FEED = `# A self-published geofeed by RFC 8805
# Last modified: 2025-07-24 10:00:06.525037
5.101.96.0/21,NL,NL-NH,Amsterdam,1098 XH
2600:3C00::/32,us,US-TX,Richardson,
45.32.0.0/19, JP , JP-13,"Shinagawa-ku, Tokyo",
"24.144.64.0/22","US",US-NJ,North Bergen,07047
8.3.29.0/24,,,,
5.101.96.0/21,NL,NL-NH,Haarlem,
8.3.30.1
2002::/16,US,,,`

describe('a geofeed', () => {
  for (const [{ source, parse }, value] of [
    [digitalocean, { class: 'hosting', operator: 'digitalocean' }],
    [linode, { class: 'hosting', operator: 'linode' }],
    [vultr, { class: 'hosting', operator: 'vultr' }],
    [relay, { class: 'relay', operator: 'apple' }],
  ] as const) {
    const read = (text: string) => parse?.(text)
    const members = [
      { key: '24.144.64.0/22', value: { ...value, region: 'US' } },
      { key: '2600:3c00::/32', value: { ...value, region: 'US' } },
      { key: '45.32.0.0/19', value: { ...value, region: 'JP' } },
      { key: '5.101.96.0/21', value: { ...value, region: 'NL' } },
      { key: '8.3.29.0/24', value },
      { key: '8.3.30.1/32', value },
    ]

    it(`of ${source} yields networks and countries, without special-purpose blocks`, () => {
      assert.deepEqual(read(FEED), { members, dropped: 1 })
    })

    it(`of ${source} yields the same in another order, at another time and with CRLF`, () => {
      const other = FEED.replace('10:00:06', '22:00:07').split('\n').toReversed().join('\r\n')
      assert.deepEqual(read(`\ufeff${other}\r\n`), { members, dropped: 1 })
    })

    it(`of ${source} may have one bad row in two hundred, and none among few`, () => {
      const header = 'prefix,country,region,city,postal\n'
      assert.throws(() => read(`${header}${FEED}`), /^Error: 1 of 9 rows/)
      assert.throws(() => read(`Rate limit exceeded\n203.0.114.9\n`), /^Error: 1 of 2 rows/)
      assert.deepEqual(read(`${header}${`${FEED}\n`.repeat(25)}`)?.members, members)
      assert.throws(() => read(FEED.replace('8.3.29.0/24,,', '8.3.29.0/24,Germany,')), /^Error: 1 of/)
    })
  }

  it('uses the first country in code-unit order of a network listed in two', () => {
    for (const rows of ['9.0.0.0/8,US\n9.0.0.0/8,DE', '9.0.0.0/8,DE\n9.0.0.0/8,US', '9.0.0.0/8\n9.0.0.0/8,DE']) {
      assert.equal(relay.parse?.(rows).members[0]?.value.region, 'DE')
    }
  })
})
