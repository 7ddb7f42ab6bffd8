import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openGroups } from './groups.ts'

type Row = { org: string; n: number }

/** Writes nothing until `go`. */
function openSlow() {
  const groups: number[][] = []
  let { promise: may, resolve: go } = Promise.withResolvers<void>()
  const rows = openGroups<Row>({
    sizeMax: () => 3,
    write: async group => {
      groups.push(group.map(({ n }) => n))
      await may
      return []
    },
  })
  const stop = () => {
    const next = Promise.withResolvers<void>()
    may = next.promise
    go = next.resolve
  }
  return { rows, groups, go: () => go(), stop }
}

const row = (n: number, org = 'a'): Row => ({ org, n })

describe('rows that are written in groups', () => {
  it('are written in their order, as many as fit', async () => {
    const { rows, groups, go } = openSlow()
    go()
    await Promise.all([1, 2, 3, 4, 5].map(n => rows.add(row(n))))
    assert.deepEqual(groups, [
      [1, 2, 3],
      [4, 5],
    ])
    assert.equal(rows.size(), 0)
  })

  it('are waited for by organisation', async () => {
    const { rows, go } = openSlow()
    void rows.add(row(1))
    assert.equal(rows.written('b'), null)
    let isWritten = false
    const written = rows.written('a')?.then(() => {
      isWritten = true
    })
    await new Promise(resolve => setTimeout(resolve, 20))
    assert.equal(isWritten, false)
    go()
    await written
    assert.equal(rows.written('a'), null)
  })

  it('are not written after they are removed, and earlier ones are still awaited', async () => {
    const { rows, groups, go } = openSlow()
    const second = row(2)
    void rows.add(row(1))
    const removed = rows.add(second)
    rows.remove(second)
    await removed
    let isWritten = false
    const written = rows.written('a')?.then(() => {
      isWritten = true
    })
    await new Promise(resolve => setTimeout(resolve, 20))
    assert.equal(isWritten, false)
    go()
    await written
    assert.deepEqual(groups, [[1]])
  })

  it('are written again in front of the others, until the attempts are ended', async () => {
    const tried: number[][] = []
    const rows = openGroups<Row>({
      sizeMax: () => 2,
      write: async group => {
        tried.push(group.map(({ n }) => n))
        return tried.length === 3 ? null : group.filter(({ n }) => n === 2)
      },
    })
    for (const n of [1, 2, 3]) void rows.add(row(n))
    await rows.close()
    assert.deepEqual(tried, [[1, 2], [2, 3], [2]])
    assert.equal(rows.size(), 1)
  })
})
