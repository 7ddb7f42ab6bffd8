import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { eventsIn, eventText, openEventReader } from './server-events.ts'

const passed = (chunks: readonly Buffer[]) => {
  const events = openEventReader()
  const whole = chunks.flatMap(chunk => events.add(chunk) ?? [])
  return { whole, rest: events.rest() ?? Buffer.alloc(0) }
}

describe('the events of a stream', () => {
  it('are passed on when they are whole, byte for byte, however they are split', () => {
    const lines = fc.constantFrom('data: a', 'data: {"x":"y"}', ': ping', 'event: b', '', '\r')
    fc.assert(
      fc.property(fc.array(lines), fc.array(fc.nat(20)), fc.constantFrom('\n', '\r\n'), (parts, sizes, end) => {
        const bytes = Buffer.from(parts.map(part => part + end).join(''))
        const chunks: Buffer[] = []
        let at = 0
        for (const size of sizes) {
          if (at >= bytes.length) break
          chunks.push(bytes.subarray(at, at + size + 1))
          at += size + 1
        }
        if (at < bytes.length) chunks.push(bytes.subarray(at))
        const { whole, rest } = passed(chunks)
        assert.deepEqual(Buffer.concat([...whole, rest]), bytes)
        for (const events of whole) assert.match(events.toString('latin1'), /\n\r?\n$/)
        assert.doesNotMatch(rest.toString('latin1'), /\n\r?\n[\s\S]/)
      }),
    )
  })

  it('are read with every end of a line, and data of several lines stays data', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['event: a', 'data: 1', 'data: 2', '', 'data: 3', '', ''].join(end)
      const events = [
        { event: 'a', data: '1\n2' },
        { event: null, data: '3' },
      ]
      assert.deepEqual(eventsIn(Buffer.from(text)), events)
      assert.deepEqual(eventsIn(Buffer.from(events.map(eventText).join(''))), events)
    }
  })

  it('that never end cost linear time, and are given up when they are too long', () => {
    const part = Buffer.from('a\n'.repeat(1_000))
    const userUs = (count: number) => {
      const events = openEventReader()
      const before = process.cpuUsage()
      for (let n = 0; n < count; n++) events.add(part)
      return process.cpuUsage(before).user
    }
    userUs(4_000)
    // Quadratic time would be 64 times as long; 24 leaves room for a busy machine.
    const [few, many] = [Math.max(userUs(500), 2_000), userUs(4_000)]
    assert.ok(many < 24 * few, `${few} us for 500 parts, ${many} us for 4,000`)
    assert.throws(() => userUs(9_000), /too long/)
  })
})
