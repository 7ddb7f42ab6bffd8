import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CATALOGUE } from '../catalogue.ts'

const sources = CATALOGUE.flatMap(set => set.sources.map(source => ({ ...source, kind: set.kind })))

describe('the catalogue', () => {
  it('has these sets, in this order, with these maximum ages and sources', () => {
    assert.deepEqual(
      CATALOGUE.map(({ set, kind, match, maxAgeHours, sources }) =>
        [set, kind, match, maxAgeHours, ...sources.map(({ source }) => source)].join(' '),
      ),
      [
        'domain fetch domain 192 disposable disposable-mit',
        'net fetch net 192 tor relay x4bnet-vpn x4bnet-vpn6 reserved4 reserved6 ' +
          'aws gcp oracle digitalocean linode vultr fastly cloudflare4 cloudflare6',
        'crawler fetch pattern 960 patterns',
        'browser fetch exact 960 top-agents',
        'asn fetch range 960 iana iana32 x4bnet-hosting',
        'bin local digits 960 structure',
        'device local exact 36 fleet',
        'sanction attest exact 36 OFAC UN EU OFSI',
        'jurisdiction attest exact 960 listing',
        'pep seam exact 192',
        'issuer seam digits 960',
        'reputation seam net 36',
      ],
    )
  })

  it('describes every set in one sentence', () => {
    for (const { set, what } of CATALOGUE) assert.match(what, /^[A-Z][^.]+\.$/, set)
  })

  it('has a one-sentence refusal and no sources for seams, and no refusal for other sets', () => {
    for (const { set, kind, sources, refusal } of CATALOGUE) {
      if (kind === 'seam') assert.match(refusal ?? '', /^[A-Z][^.]+\.$/, set)
      else assert.equal(refusal, undefined, set)
      assert.equal(sources.length === 0, kind === 'seam', set)
    }
  })

  it('has unique source names', () => {
    const names = sources.map(({ source }) => source)
    assert.deepEqual(names, [...new Set(names)])
    // A mirror stores each source in a file of its name.
    for (const name of names) assert.match(name, /^[A-Za-z0-9-]+$/)
  })

  const BASES = { fetch: ['licence', 'registry', 'operator'], local: ['own'], attest: ['none'], seam: [] as string[] }
  for (const { source, kind, basis, terms, origin, parse } of sources) {
    it(`has a basis that fits the kind of set, terms and an origin: ${source}`, () => {
      assert.ok(BASES[kind].includes(basis), basis)
      assert.ok(terms.length > 10 && origin.length > 10)
      assert.equal(parse !== undefined, kind === 'fetch')
      if (kind === 'fetch') assert.equal(new URL(origin).protocol, 'https:')
      else assert.doesNotMatch(origin, /:\/\//)
    })
  }

  it('states in the terms the licence, the missing licence or the registry, by basis', () => {
    for (const { source, basis, terms } of sources) {
      if (basis === 'licence') assert.match(terms, /^(CC0-1\.0|MIT) \(/, source)
      if (basis === 'operator') assert.match(terms, /no licence/, source)
      if (basis === 'registry') assert.match(terms, /^IANA .*registry/i, source)
    }
  })
})
