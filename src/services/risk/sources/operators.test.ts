import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cloudflare4, cloudflare6, tor, x4bnetVpn, x4bnetVpn6 } from './lists.ts'
import { aws, fastly, gcp, oracle } from './operators.ts'
import type { Member, Source, Value } from './source.ts'

const parsed = ({ parse }: Source, text: string) => parse?.(text)
const only = (members: Member[]) => ({ members, dropped: 0 })
const hosting = (key: string, operator: string, region?: string): Member => ({
  key,
  value: { class: 'hosting', operator, ...(region === undefined ? {} : { region }) },
})
const reversed = (rows: readonly unknown[]) => rows.toReversed()

describe("Amazon's networks", () => {
  const prefixes = [
    { ip_prefix: '3.5.140.0/22', region: 'ap-northeast-2', service: 'AMAZON' },
    { ip_prefix: '3.5.140.0/22', region: 'ap-northeast-2', service: 'S3' },
    { ip_prefix: '15.177.0.0/18', region: 'us-east-1', service: 'ROUTE53' },
    { ip_prefix: '15.177.0.0/18', region: 'GLOBAL', service: 'AMAZON' },
    { ip_prefix: '3.4.12.4/32', region: '', service: 'EC2' },
  ]
  const ipv6_prefixes = [{ ipv6_prefix: '2600:1F69:7400::/40', region: 'mx-central-1', service: 'AMAZON' }]
  const members = [
    hosting('15.177.0.0/18', 'aws', 'GLOBAL'),
    hosting('2600:1f69:7400::/40', 'aws', 'mx-central-1'),
    hosting('3.4.12.4/32', 'aws'),
    hosting('3.5.140.0/22', 'aws', 'ap-northeast-2'),
  ]

  it('are listed once for all services, with the first of several regions', () => {
    assert.deepEqual(parsed(aws, JSON.stringify({ syncToken: '1', prefixes, ipv6_prefixes })), only(members))
  })

  it('do not depend on order, time and byte order mark', () => {
    const other = { syncToken: '2', createDate: '2026', ipv6_prefixes, prefixes: reversed(prefixes) }
    assert.deepEqual(parsed(aws, `\ufeff${JSON.stringify(other, null, 2)}\r\n`), only(members))
  })

  it('are rejected if the list of one address family is missing', () => {
    assert.throws(() => parsed(aws, JSON.stringify({ prefixes })), /no list named ipv6_prefixes/)
    assert.throws(() => parsed(aws, JSON.stringify({ ipv6_prefixes })), /no list named prefixes/)
  })

  it('count an entry of another shape as a bad row', () => {
    const odd = (entries: unknown[]) => JSON.stringify({ prefixes: [...prefixes, ...entries], ipv6_prefixes })
    for (const entry of [{}, null, 'x', 7, [], { ip_prefix: 7 }, { ip_prefix: '1.2.3' }, { ip_prefix: '0.0.0.0/0' }]) {
      assert.throws(() => parsed(aws, odd([entry])), /^Error: 1 of 7 rows/)
      assert.deepEqual(parsed(aws, odd([entry, ...Array(200).fill(prefixes[0])])), only(members))
    }
  })
})

describe("Google Cloud's networks", () => {
  const prefixes = [
    { ipv4Prefix: '34.35.0.0/16', service: 'Google Cloud', scope: 'africa-south1' },
    { ipv4Prefix: '34.1.208.0/20', service: 'Google Cloud', scope: 'africa-south1' },
    { ipv6Prefix: '2600:1900:8000::/44', service: 'Google Cloud', scope: 'us-central1' },
    { ipv4Prefix: '34.2.0.0/16' },
  ]
  const members = [
    hosting('2600:1900:8000::/44', 'gcp', 'us-central1'),
    hosting('34.1.208.0/20', 'gcp', 'africa-south1'),
    hosting('34.2.0.0/16', 'gcp'),
    hosting('34.35.0.0/16', 'gcp', 'africa-south1'),
  ]

  it('have their scope as region, independent of order and time', () => {
    assert.deepEqual(parsed(gcp, JSON.stringify({ syncToken: '1', prefixes })), only(members))
    assert.deepEqual(parsed(gcp, JSON.stringify({ syncToken: '2', prefixes: reversed(prefixes) })), only(members))
  })

  it('count an entry without a network as a bad row', () => {
    const odd = [...prefixes, { scope: 'x' }, { ipv4prefix: '34.3.0.0/16' }]
    assert.throws(() => parsed(gcp, JSON.stringify({ prefixes: odd })), /^Error: 2 of 6 rows/)
  })
})

describe("Oracle's networks", () => {
  const regions = [
    { region: 'us-ashburn-1', cidrs: [{ cidr: '129.80.0.0/16', tags: ['OCI'] }, { cidr: '129.144.0.0/16' }] },
    { region: 'eu-milan-1', cidrs: [{ cidr: '129.152.0.0/19', tags: ['OCI', 'OSN'] }] },
  ]
  const members = [
    hosting('129.144.0.0/16', 'oracle', 'us-ashburn-1'),
    hosting('129.152.0.0/19', 'oracle', 'eu-milan-1'),
    hosting('129.80.0.0/16', 'oracle', 'us-ashburn-1'),
  ]

  it('have the region they are listed under', () => {
    assert.deepEqual(parsed(oracle, JSON.stringify({ regions })), only(members))
    assert.deepEqual(parsed(oracle, JSON.stringify({ regions: reversed(regions) })), only(members))
  })

  it('count a region without networks as a bad row', () => {
    const odd = [...regions, { region: 'a' }, { region: 'b', cidrs: {} }]
    assert.throws(() => parsed(oracle, JSON.stringify({ regions: odd })), /^Error: 2 of 5 rows/)
  })
})

describe("Fastly's networks", () => {
  it('have the class cdn and no region', () => {
    const text = '{"addresses":["43.249.72.0/22","23.235.32.0/20"],"ipv6_addresses":["2a04:4e40::/32"]}'
    const value = { class: 'cdn', operator: 'fastly' }
    assert.deepEqual(
      parsed(fastly, text),
      only(['23.235.32.0/20', '2a04:4e40::/32', '43.249.72.0/22'].map(key => ({ key, value }))),
    )
  })

  it('are rejected if the list of one address family is missing', () => {
    assert.throws(() => parsed(fastly, '{"addresses":["43.249.72.0/22"]}'), /no list named ipv6_addresses/)
  })
})

describe('a plain list of networks', () => {
  const text = '# the list\n173.245.48.7/20\n\n2400:CB00:0::/32 # v6\n198.41.128.1\n198.41.128.1/32'
  const keys = ['173.245.48.0/20', '198.41.128.1/32', '2400:cb00::/32']
  const plain: [Source, Value][] = [
    [cloudflare4, { class: 'cdn', operator: 'cloudflare' }],
    [cloudflare6, { class: 'cdn', operator: 'cloudflare' }],
    [tor, { class: 'tor', operator: 'tor' }],
    [x4bnetVpn, { class: 'vpn' }],
    [x4bnetVpn6, { class: 'vpn' }],
  ]
  for (const [source, value] of plain) {
    it(`is read by ${source.source}`, () => {
      const members = keys.map(key => ({ key, value }))
      assert.deepEqual(parsed(source, text), only(members))
      assert.deepEqual(parsed(source, `\ufeff${text.split('\n').toReversed().join('\r\n')}\r\n`), only(members))
    })
  }

  it('never yields a whole address family as a member', () => {
    for (const whole of ['0.0.0.0/0', '::/0', '1.2.3.4/0', '::ffff:0:0/96']) {
      assert.throws(() => parsed(tor, `${whole}\n203.1.1.1\n`), /^Error: 1 of 2 rows/)
      assert.deepEqual(
        parsed(tor, `${whole}\n${'203.1.1.1\n'.repeat(199)}`)?.members.map(({ key }) => key),
        ['203.1.1.1/32'],
      )
    }
  })

  it('drops and counts special-purpose blocks', () => {
    const { members, dropped } = parsed(x4bnetVpn, '10.0.0.0/8\n2002::/16\n2001:db8::/32\n203.1.1.0/24\n') ?? {}
    assert.deepEqual([members?.map(({ key }) => key), dropped], [['203.1.1.0/24'], 3])
  })
})
