import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, systemRandom } from '../random/random.ts'
import { openSeal } from './seal.ts'

const root = seededRandom('root').bytes(32)
const { seal, unseal } = openSeal(root, systemRandom)

describe('a sealed text', () => {
  it('opens with the same root key', () => {
    for (const text of ['', 'x', 'whsec_…', 'ünïcode 🙂', 'x'.repeat(100_000)]) {
      assert.equal(openSeal(root, systemRandom).unseal('home', 'app/web', seal('home', 'app/web', text)), text)
    }
  })

  it('reveals only the length of the text, and differs each time', () => {
    const sealed = seal('home', 'a', 'the secret')
    assert.ok(!Buffer.from(sealed).includes('secret'))
    assert.equal(sealed.length, seal('home', 'a', 'xxx xxxxxx').length)
    assert.notDeepEqual(sealed, seal('home', 'a', 'the secret'))
  })

  it('does not open for another organisation, under another name, or with another root key', () => {
    const sealed = seal('home', 'a', 'the secret')
    assert.throws(() => unseal('other', 'a', sealed))
    assert.throws(() => unseal('home', 'b', sealed))
    assert.throws(() => unseal('hom', 'e a', sealed))
    const another = openSeal(seededRandom('another').bytes(32), systemRandom)
    assert.throws(() => another.unseal('home', 'a', sealed), /another root key/)
  })

  it('does not open when any byte was changed or is missing', () => {
    const sealed = seal('home', 'a', 'secret')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] as number) ^ 1
      assert.throws(() => unseal('home', 'a', changed), `byte ${at}`)
      assert.throws(() => unseal('home', 'a', sealed.subarray(0, at)), `cut at ${at}`)
    }
  })

  it('requires a root key of 32 bytes', () => {
    assert.throws(() => openSeal(Buffer.alloc(16), systemRandom), /32 bytes/)
  })
})

describe('a MAC', () => {
  it('is the same for the same text, and differs by text, name, organisation and root key', () => {
    const { mac } = openSeal(root, systemRandom)
    const one = Buffer.from(mac('home', 'a', 'text')).toString('hex')
    assert.equal(Buffer.from(openSeal(root, systemRandom).mac('home', 'a', 'text')).toString('hex'), one)
    const others = [mac('home', 'a', 'other'), mac('home', 'b', 'text'), mac('other', 'a', 'text')]
    others.push(openSeal(seededRandom('another').bytes(32), systemRandom).mac('home', 'a', 'text'))
    others.push(mac('home', 'a\0te', 'xt')) // Where the name ends is part of it.
    for (const other of others) assert.notEqual(Buffer.from(other).toString('hex'), one)
  })
})
