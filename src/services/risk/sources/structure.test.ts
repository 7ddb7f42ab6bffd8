import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memberFrom } from '../match/match.ts'
import { structureMembers } from './structure.ts'

const members = structureMembers()

/** The scheme of the longest prefix, as in a look-up. */
function schemeOf(digits: string): string | undefined {
  const covering = members.filter(({ key }) => digits.startsWith(key))
  return covering.sort((a, b) => b.key.length - a.key.length)[0]?.value.scheme
}

describe('card schemes', () => {
  for (const [scheme, ...prefixes] of [
    ['visa', '41111111', '49999999', '40117799', '40118000'],
    ['mastercard', '51000000', '55999999', '22210000', '22999999', '23000000', '27200000', '27209999'],
    ['amex', '34000000', '37999999'],
    ['discover', '60110000', '64400000', '64999999', '65000000', '65999999', '65214999', '65315000'],
    ['jcb', '35280000', '35899999'],
    ['unionpay', '62000000', '62999999'],
    ['diners', '30000000', '30599999', '30950000', '36000000', '38000000', '39999999'],
    ['maestro', '50180000', '63040000', '67610000', '67639999'],
    ['mir', '22000000', '22049999'],
    ['elo', '40117800', '50669900', '50677899', '50900000', '62778000', '65003100', '65505899'],
    ['troy', '97920000'],
    ['rupay', '50850000', '50899999', '60698500', '60798499', '60850099', '65215000', '65314999'],
  ] as const) {
    for (const digits of prefixes) {
      it(`include ${digits} in ${scheme}`, () => {
        assert.equal(schemeOf(digits), scheme)
      })
    }
  }

  for (const digits of [
    '22050000',
    '22209999',
    '27210000',
    '50000000',
    '35279999',
    '35900000',
    '30600000',
    '99999999',
  ]) {
    it(`do not include ${digits}`, () => {
      assert.equal(schemeOf(digits), undefined)
    })
  }

  it('have only a name and the lengths of their numbers', () => {
    for (const { value } of members) assert.deepEqual(Object.keys(value), ['scheme', 'lengths'])
    assert.equal(members.find(({ key }) => key === '34')?.value.lengths, '15')
    assert.equal(members.find(({ key }) => key === '4')?.value.lengths, '13,16,19')
  })

  it('have canonical prefixes, distinct and in order', () => {
    const keys = members.map(({ key }) => key)
    assert.deepEqual(keys, [...new Set(keys)].sort())
    for (const key of keys) assert.equal(memberFrom('digits', key), key)
  })

  it('are covered by the fewest possible prefixes', () => {
    const mastercard = members.filter(({ value }) => value.scheme === 'mastercard').map(({ key }) => key)
    assert.deepEqual(mastercard, [
      '2221',
      '2222',
      '2223',
      '2224',
      '2225',
      '2226',
      '2227',
      '2228',
      '2229',
      '223',
      '224',
      '225',
      '226',
      '227',
      '228',
      '229',
      '23',
      '24',
      '25',
      '26',
      '270',
      '271',
      '2720',
      '51',
      '52',
      '53',
      '54',
      '55',
    ])
  })
})
