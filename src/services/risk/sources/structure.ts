// The card scheme of a card number, by the ranges of issuer prefixes that the schemes publish. The value is the scheme
// and the lengths of its numbers. Issuer, country and kind of card are unknown: there is no open table of them.
import { sorted } from './collector.ts'
import type { Member, Source } from './source.ts'

export const structure: Source = {
  source: 'structure',
  basis: 'own',
  terms: 'Computed here from the ranges that card schemes publish, numbered by ISO/IEC 7812; no issuer table is used',
  origin: 'Computed in this service from the published ranges of the card schemes',
}

type Range = string | readonly [from: string, to: string]
type Scheme = { scheme: string; lengths: readonly number[]; ranges: readonly Range[] }

/** A range inside that of another scheme has longer prefixes, and the longest prefix wins. */
const SCHEMES: readonly Scheme[] = [
  { scheme: 'visa', lengths: [13, 16, 19], ranges: ['4'] },
  {
    scheme: 'mastercard',
    lengths: [16],
    ranges: [
      ['51', '55'],
      ['222100', '272099'],
    ],
  },
  { scheme: 'amex', lengths: [15], ranges: ['34', '37'] },
  { scheme: 'discover', lengths: [16, 17, 18, 19], ranges: ['6011', ['644', '649'], '65'] },
  { scheme: 'jcb', lengths: [16, 17, 18, 19], ranges: [['3528', '3589']] },
  { scheme: 'unionpay', lengths: [16, 17, 18, 19], ranges: ['62'] },
  { scheme: 'diners', lengths: [14, 15, 16, 17, 18, 19], ranges: [['300', '305'], '3095', '36', '38', '39'] },
  {
    scheme: 'maestro',
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
    ranges: ['5018', '5020', '5038', '5893', '6304', '6759', ['6761', '6763']],
  },
  { scheme: 'mir', lengths: [16, 17, 18, 19], ranges: [['2200', '2204']] },
  {
    scheme: 'elo',
    lengths: [16],
    ranges: [
      '401178',
      '401179',
      '431274',
      '438935',
      '451416',
      '457393',
      '457631',
      '457632',
      '504175',
      '627780',
      '636297',
      '636368',
      ['506699', '506778'],
      ['509000', '509999'],
      ['650031', '650033'],
      ['650035', '650051'],
      ['650405', '650439'],
      ['650485', '650538'],
      ['650541', '650598'],
      ['650700', '650718'],
      ['650720', '650727'],
      ['650901', '650978'],
      ['651652', '651679'],
      ['655000', '655019'],
      ['655021', '655058'],
    ],
  },
  { scheme: 'troy', lengths: [16], ranges: ['9792'] },
  {
    scheme: 'rupay',
    lengths: [16],
    ranges: [
      ['508500', '508999'],
      ['606985', '607984'],
      ['608001', '608500'],
      ['652150', '653149'],
    ],
  },
]

export function structureMembers(): Member[] {
  const members = SCHEMES.flatMap(({ scheme, lengths, ranges }) => {
    const value = { scheme, lengths: lengths.join(',') }
    return ranges.flatMap(prefixesOf).map(key => ({ key, value }))
  })
  return sorted(members)
}

/** The fewest prefixes that cover a range and nothing else. */
function prefixesOf(range: Range): string[] {
  if (typeof range === 'string') return [range]
  const digits = range[0].length
  const to = Number(range[1])
  const prefixes: string[] = []
  for (let from = Number(range[0]); from <= to; ) {
    let zeros = 0
    while (zeros < digits - 1 && from % 10 ** (zeros + 1) === 0 && from + 10 ** (zeros + 1) - 1 <= to) zeros++
    prefixes.push(String(from / 10 ** zeros).padStart(digits - zeros, '0'))
    from += 10 ** zeros
  }
  return prefixes
}
