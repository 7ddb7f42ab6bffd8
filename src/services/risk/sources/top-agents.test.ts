import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { topAgents } from './top-agents.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const EDGE = `${CHROME} Edg/153.0.0.0`
const common = (key: string, rank: string) => ({ key, value: { class: 'common', rank } })

describe('common browsers', () => {
  it('are ranked by their first position in the list', () => {
    assert.deepEqual(topAgents.parse?.(JSON.stringify([FIREFOX, CHROME, FIREFOX, EDGE])), {
      members: [common(CHROME, '2'), common(EDGE, '4'), common(FIREFOX, '1')],
      dropped: 0,
    })
  })

  it('keep their first rank if a hundred are listed twice', () => {
    const agents = Array.from({ length: 100 }, (_, i) => `Browser/${i}`)
    const { members } = topAgents.parse?.(JSON.stringify([...agents, ...agents])) ?? { members: [] }
    assert.equal(members.find(({ key }) => key === 'Browser/8')?.value.rank, '9')
  })

  it('are texts with a product; another value among few rejects the document', () => {
    const many = Array.from({ length: 200 }, (_, at) => `Browser/${at}`)
    for (const odd of [7, {}, 'rate', 'limited', null, '', `a/${'x'.repeat(600)}`]) {
      const members = topAgents.parse?.(JSON.stringify([CHROME, odd, 'b/1', ...many])).members ?? []
      assert.equal(members.length, 202)
      assert.deepEqual(members.at(-1), common('b/1', '3'))
      assert.throws(() => topAgents.parse?.(JSON.stringify([CHROME, odd, 'b/1'])), /^Error: 1 of 3 rows/)
    }
  })

  it('must be an array', () => {
    assert.throws(() => topAgents.parse?.(JSON.stringify({ agents: [CHROME] })), /not a JSON array/)
  })
})
