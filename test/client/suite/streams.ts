// Event streams.
import { against, type Case, check, eventually, rejection, same } from './case.ts'

export const streams: Record<string, Case> = {
  'iterates over the events of the host': async ({ specimen, baseUrl, key }) => {
    const stoa = specimen.createStoa({ baseUrl, key, dangerouslyAllowBrowser: true })
    const all: unknown[] = []
    for await (const event of stoa.ticks({ count: 3 })) all.push(event)
    same(
      all,
      [1, 2, 3].map(n => ({ event: 'tick', data: { n }, id: String(n) })),
    )
    const seen: number[] = []
    const failing = async () => {
      for await (const { data } of stoa.ticks({ count: 2, fails: true })) seen.push(data.n)
    }
    const error = await rejection(failing())
    check(error instanceof specimen.StoaApiError, String(error))
    same([error.name, error.code, error.message, seen], ['ConflictError', 'conflict', 'The stream failed.', [1, 2]])
    same(await stoa.chat({ model: 'one' }), { model: 'one' })
    const chunks: number[] = []
    for await (const { n } of stoa.chat({ model: 'one', stream: true })) chunks.push(n)
    same(chunks, [1, 2])
    const wrong = specimen.createStoa({ baseUrl, key: 'sk-wrong', dangerouslyAllowBrowser: true })
    same((await rejection(wrong.ticks().next())).status, 401)
  },

  'reads a stream with a byte order mark and data in several lines': async environment => {
    const all: unknown[] = []
    for await (const event of against(environment, 'events').specimen.ticks()) all.push(event)
    same(all, [
      { event: 'tick', data: { n: 1 }, id: '1' },
      { event: 'message', data: { n: 2 }, id: '1' },
    ])
  },

  'cancels the request when the loop is left or the signal aborts': async environment => {
    const left = against(environment, 'endless-events')
    for await (const { data } of left.specimen.ticks()) {
      same(data.n, 1)
      break
    }
    await eventually(async () => (await left.recorded())[0]?.wasLeft === true, 'the request is cancelled')
    const aborted = against(environment, 'endless-events')
    const controller = new AbortController()
    const seen: number[] = []
    const loop = async () => {
      for await (const { data } of aborted.specimen.ticks({}, { signal: controller.signal })) {
        seen.push(data.n)
        if (data.n === 2) setTimeout(() => controller.abort(new Error('enough')), 20)
      }
    }
    same([(await rejection(loop())).message, seen], ['enough', [1, 2]])
    await eventually(async () => (await aborted.recorded())[0]?.wasLeft === true, 'the request is cancelled')
  },

  'throws a StoaConnectionError if the stream breaks off, is no JSON or no stream': async environment => {
    for (const [scenario, expected] of [
      ['cut-events', 1],
      ['bad-events', 0],
      ['ok', 0],
    ] as const) {
      let count = 0
      const loop = async () => {
        for await (const _ of against(environment, scenario).specimen.ticks()) count++
      }
      const error = await rejection(loop())
      check(error instanceof environment.specimen.StoaConnectionError, `${scenario}: ${error}`)
      same([error.status, count], [200, expected], scenario)
    }
  },
}
