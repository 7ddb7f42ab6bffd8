import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Match, memberFrom } from './match.ts'
import { buffersOf, buildTable, openTable } from './table.ts'
import { buildTextHash, mix, openProbe } from './text-hash.ts'

const open = (match: Match, members: readonly string[]) => openTable(buildTable(match, members))

/** The text of the member found; null for none, undefined if the key cannot be read. */
function findMember(match: Match, members: readonly string[], key: string): string | null | undefined {
  const table = open(match, members)
  const found = table.find(key)
  if (found < 0) return found === -2 ? undefined : null
  assert.equal(table.member(found), members[found])
  return members[found]
}

describe('a table', () => {
  type Row = readonly [match: Match, members: string[], key: string, found: string | null | undefined]
  for (const [match, members, key, found] of [
    ['domain', ['mailinator.com'], 'a.b.mailinator.com', 'mailinator.com'],
    ['domain', ['mailinator.com'], 'notmailinator.com', null],
    ['domain', ['b.com', 'a.b.com'], 'x.a.b.com', 'a.b.com'],
    ['domain', ['b.com', 'a.b.com'], 'xa.b.com', 'b.com'],
    ['domain', ['a.b.com'], 'b.com', null],
    ['domain', ['x.com'], 'a@X.com.', 'x.com'],
    ['domain', ['x.com'], 'xn--a.com', undefined],
    ['domain', [], 'x.com', null],
    ['net', ['44.192.0.0/11', '44.199.180.0/23'], '44.199.181.9', '44.199.180.0/23'],
    ['net', ['44.192.0.0/11', '44.199.180.0/23'], '44.199.182.0', '44.192.0.0/11'],
    ['net', ['44.192.0.0/11', '44.199.180.0/23'], '44.199.180.0/22', '44.192.0.0/11'],
    ['net', ['44.192.0.0/11'], '44.0.0.0/8', null],
    ['net', ['0.0.0.0/0'], '255.255.255.255', '0.0.0.0/0'],
    ['net', ['0.0.0.0/0'], '2001:db8::1', null],
    ['net', ['::/0', '::/1'], '8000::', '::/0'],
    ['net', ['1.2.3.4/32'], '::ffff:102:304', '1.2.3.4/32'],
    ['net', ['1.2.3.4/32'], '64:ff9b::102:304', '1.2.3.4/32'],
    ['net', ['1.2.3.4/32'], '::1.2.3.4', null],
    ['net', ['10.0.0.0/8'], '010.0.0.1', undefined],
    ['digits', ['4', '411111', '41111111'], '4111 1111 2222 3333', '41111111'],
    ['digits', ['4', '411111', '41111111'], '4111112', '411111'],
    ['digits', ['4', '411111'], '4999', '4'],
    ['digits', ['0004'], '4000', null],
    ['digits', ['4'], '4.2.2.2', undefined],
    ['range', ['1-100', '10-20', '15-25'], 'AS17', '10-20'],
    ['range', ['1-100', '10-20', '15-25'], '22', '15-25'],
    ['range', ['0-4294967295'], '4294967295', '0-4294967295'],
    ['range', ['5-5'], '4', null],
    ['range', ['5-5'], '1.10', undefined],
    ['exact', ['Größe/1.0'], ' Größe/1.0 ', 'Größe/1.0'],
    ['exact', ['Größe/1.0'], 'größe/1.0', null],
    [
      'exact',
      ['d41d8cd98f00b204e9800998ecf8427e'],
      'D41D8CD98F00B204E9800998ECF8427E',
      'd41d8cd98f00b204e9800998ecf8427e',
    ],
    ['exact', ['a'], '', undefined],
  ] satisfies Row[] as Row[]) {
    const result = found === undefined ? 'unreadable key' : (found ?? 'none')
    it(`of ${match} [${members}] finds the most specific member for ${key}: ${result}`, () => {
      assert.equal(findMember(match, members, key), found)
    })
  }
})

/** Looks all keys up in a table of the members, in one of the shuffled members, and in one that was transferred. */
function assertSameResults(
  match: Match,
  members: string[],
  shuffled: string[],
  keys: string[],
  oracle: (key: string) => string | null,
) {
  const data = buildTable(match, members)
  const other = open(match, shuffled)
  const original = openTable(data)
  const expected = keys.map(oracle)
  const answers = (table: typeof other, of: string[]) =>
    keys.map(key => {
      const found = table.find(key)
      assert.notEqual(found, -2, key)
      if (found >= 0) assert.equal(table.member(found), of[found])
      return found < 0 ? null : of[found]
    })
  assert.deepEqual(answers(original, members), expected)
  assert.deepEqual(answers(other, shuffled), expected)
  const bytes = original.bytes
  const moved = openTable(structuredClone(data, { transfer: buffersOf(data) }))
  assert.ok(buffersOf(data).every(buffer => buffer.detached))
  assert.deepEqual(answers(moved, members), expected)
  assert.equal(moved.bytes, bytes)
}

const shuffledOf = (members: string[]) => fc.shuffledSubarray(members, { minLength: members.length })

/** Members, the same members shuffled, and keys: some random, some derived from a member. */
function cases(member: fc.Arbitrary<string>, key: (members: string[]) => fc.Arbitrary<string>) {
  return fc
    .uniqueArray(member, { maxLength: 40 })
    .chain(members => fc.tuple(fc.constant(members), shuffledOf(members), fc.array(key(members), { maxLength: 20 })))
}

const oneOf = (members: string[], otherwise: string) =>
  members.length ? fc.constantFrom(...members) : fc.constant(otherwise)

describe('a table agrees with a linear search', () => {
  it('for domains', () => {
    const label = fc.constantFrom('a', 'b', 'ab', 'ba', 'a-b', 'com', '1')
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map(labels => [...labels, 'com'].join('.'))
    const key = (members: string[]) =>
      fc.oneof(
        name,
        fc
          .tuple(fc.constantFrom('a.', 'b.a.', 'x', 'u@', 'u@B.'), oneOf(members, 'a.com'))
          .map(parts => parts.join('')),
      )
    fc.assert(
      fc.property(cases(name, key), ([members, shuffled, keys]) => {
        assertSameResults('domain', members, shuffled, keys, key => {
          const host = key.toLowerCase().split('@').at(-1)!
          const covering = members.filter(member => `.${host}`.endsWith(`.${member}`))
          return covering.sort((x, y) => y.length - x.length)[0] ?? null
        })
      }),
      { numRuns: 300 },
    )
  })

  it('for exact texts', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '漢', '😀', '/'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        cases(text, members => fc.oneof(text, oneOf(members, 'a'))),
        ([members, shuffled, keys]) => {
          assertSameResults('exact', members, shuffled, keys, key => (members.includes(key) ? key : null))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('for digits', () => {
    const digits = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom('0', '1'), minLength, maxLength })
    const key = (members: string[]) =>
      fc.tuple(fc.oneof(digits(4, 4), oneOf(members, '0')), digits(4, 9)).map(parts => parts.join(''))
    fc.assert(
      fc.property(cases(digits(1, 8), key), ([members, shuffled, keys]) => {
        assertSameResults('digits', members, shuffled, keys, key => {
          const covering = members.filter(member => key.startsWith(member))
          return covering.sort((x, y) => y.length - x.length)[0] ?? null
        })
      }),
      { numRuns: 300 },
    )
  })

  it('for ranges that overlap', () => {
    const number = fc.oneof(
      fc.nat({ max: 60 }),
      fc.nat({ max: 60 }).map(below => 2 ** 32 - 1 - below),
    )
    const range = fc.tuple(number, number).map(([x, y]) => `${Math.min(x, y)}-${Math.max(x, y)}`)
    fc.assert(
      fc.property(
        cases(range, () => number.map(String)),
        ([members, shuffled, keys]) => {
          assertSameResults('range', members, shuffled, keys, key => {
            const covering = members
              .map(member => ({ member, ends: member.split('-').map(Number) as [number, number] }))
              .filter(({ ends: [low, high] }) => low <= Number(key) && Number(key) <= high)
            covering.sort(({ ends: x }, { ends: y }) => x[1] - x[0] - (y[1] - y[0]) || x[0] - y[0])
            return covering[0]?.member ?? null
          })
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** The family and the bits of a canonical prefix, as text. */
function bitsOf(prefix: string): string {
  const [address, length] = prefix.split('/') as [string, string]
  const isIpv4 = !address.includes(':')
  const [head, tail] = address.split('::').map(half => (half === '' ? [] : half.split(isIpv4 ? '.' : ':')))
  const middle = tail ? Array.from({ length: 8 - head!.length - tail.length }, () => '0') : []
  const groups = [...head!, ...middle, ...(tail ?? [])]
  const bits = groups.map(group =>
    Number.parseInt(group, isIpv4 ? 10 : 16)
      .toString(2)
      .padStart(isIpv4 ? 8 : 16, '0'),
  )
  return (isIpv4 ? 'IPv4 ' : 'IPv6 ') + bits.join('').slice(0, Number(length))
}

describe('a table of prefixes agrees with a linear search', () => {
  const octet = fc.constantFrom(0, 1, 127, 128, 254, 255)
  const group = fc.constantFrom('0', '1', '7fff', '8000', 'ffff')
  const ipv4 = fc.tuple(octet, octet, octet, octet).map(octets => octets.join('.'))
  // The first group excludes addresses that embed IPv4.
  const ipv6 = fc
    .tuple(fc.constantFrom('1', '8000', 'ffff'), ...Array.from({ length: 7 }, () => group))
    .map(groups => groups.join(':'))
  const prefix = (address: fc.Arbitrary<string>, max: number) =>
    fc.tuple(address, fc.nat({ max })).map(([text, bits]) => memberFrom('net', `${text}/${bits}`)!)
  const either = fc.oneof(prefix(ipv4, 32), prefix(ipv6, 128))
  const below = (members: string[]) =>
    fc.tuple(oneOf(members, '0.0.0.0/0'), fc.nat({ max: 128 })).map(([member, more]) => {
      const [address, bits] = member.split('/') as [string, string]
      return memberFrom('net', `${address}/${Math.min(Number(bits) + more, address.includes(':') ? 128 : 32)}`)!
    })

  for (const [what, members, keys] of [
    ['IPv4', prefix(ipv4, 32), fc.oneof(prefix(ipv4, 32), ipv4)],
    ['IPv6', prefix(ipv6, 128), fc.oneof(prefix(ipv6, 128), ipv6)],
    ['both families', either, fc.oneof(either, ipv4, ipv6)],
  ] as const) {
    it(`for ${what}`, () => {
      fc.assert(
        fc.property(
          cases(members, given => fc.oneof(keys, below(given))),
          ([given, shuffled, lookups]) => {
            assertSameResults('net', given, shuffled, lookups, key => {
              const bits = bitsOf(memberFrom('net', key)!)
              const covering = given.filter(member => bits.startsWith(bitsOf(member)))
              return covering.sort((x, y) => bitsOf(y).length - bitsOf(x).length)[0] ?? null
            })
          },
        ),
        { numRuns: 300 },
      )
    })
  }
})

describe('the text hash', () => {
  it('compares the texts when their hashes are equal', () => {
    const data = buildTextHash(['mailinator.com', 'example.com'], 7)
    const hash = [...'mailinator.com'].reduceRight((value, char) => mix(value, char.charCodeAt(0)), data.seed)
    const probe = openProbe(data)
    assert.equal(probe(hash, 'mailinator.com', 0), 0)
    assert.equal(probe(hash, 'x.mailinator.com', 2), 0)
    assert.equal(probe(hash, 'mailinatod.com', 0), -1)
    assert.equal(probe(hash, 'ailinator.com', 0), -1)
  })
})

describe('a large table', () => {
  const COUNT = 20_000
  const numbers = Array.from({ length: COUNT }, (_, index) => index)
  const ip = (index: number) => `${index >> 12}.${(index >> 4) & 255}.${(index & 15) * 16}.0`

  for (const [match, member, bytesMax] of [
    ['domain', (index: number) => `host-${index}.example.com`, 50],
    ['exact', (index: number) => `Agent/${index}`, 50],
    ['digits', (index: number) => String(index).padStart(8, '0'), 50],
    ['range', (index: number) => `${index * 3}-${index * 3 + 1}`, 50],
    ['net', (index: number) => `${ip(index)}/24`, 50],
    ['net', (index: number) => `2001:db8:${(index + 1).toString(16)}::/48`, 50],
  ] as const) {
    it(`of members such as ${member(7)} finds each of them, with at most ${bytesMax} bytes per member`, () => {
      const members = numbers.map(member)
      assert.deepEqual(
        members.map(text => memberFrom(match, text)),
        members,
      )
      const table = open(match, members)
      const keyOf = (text: string) => (match === 'range' ? text.split('-')[0]! : text)
      assert.deepEqual(
        members.map(text => table.find(keyOf(text))),
        numbers,
      )
      assert.deepEqual(numbers.map(table.member), members)
      assert.ok(table.bytes / COUNT <= bytesMax, `${table.bytes / COUNT}`)
    })
  }
})
