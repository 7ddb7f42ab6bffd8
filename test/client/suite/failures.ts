// Networks, proxies and hosts that fail.
import type * as Client from '../../../client/stoa.ts'
import type { Recorded } from '../unreliable-server.ts'
import { against, type Case, check, countedSignal, eventually, rejection, same } from './case.ts'

const nameOf = (error: unknown) => (error as Error).name

export const failures: Record<string, Case> = {
  'rejects with the reason of the signal: before, during, between attempts': async environment => {
    const reason = new Error('gone')
    const { stoa, recorded } = against(environment, 'never')
    same(await rejection(stoa.getHealth({}, { signal: AbortSignal.abort(reason) })), reason)
    same((await recorded()).length, 0, 'requests')
    const during = countedSignal()
    const pending = rejection(stoa.getHealth({}, { signal: during.signal }))
    await eventually(async () => (await recorded()).length === 1, 'the request')
    during.abort(reason)
    check((await pending) === reason, 'the reason, during')
    const between = countedSignal()
    const waiting = against(environment, 'wait-1')
    const second = rejection(waiting.stoa.getProject({ slug: 'a' }, { signal: between.signal }))
    await eventually(async () => (await waiting.recorded()).length === 1, 'the first attempt')
    between.abort(reason)
    check((await second) === reason, 'the reason, between')
  },

  'removes its listeners from the signal': async environment => {
    const { signal, listeners } = countedSignal()
    const { stoa } = against(environment, 'overloaded-once')
    await stoa.getProject({ slug: 'a' }, { signal })
    await rejection(against(environment, 'page').stoa.getHealth({}, { signal }))
    await rejection(against(environment, 'never').stoa.getHealth({}, { signal, timeoutMs: 50, retries: 0 }))
    for await (const _ of against(environment, 'events').specimen.ticks({}, { signal })) same(listeners.size, 1)
    same(listeners.size, 0, 'listeners')
  },

  'ends an attempt that takes too long, before and within the answer': async environment => {
    // Long enough for the request to arrive, and for the head of the answer, on a busy machine.
    for (const [scenario, status, timeoutMs, retries] of [
      ['never', null, 2000, 1],
      ['slow-body', 200, 5000, 0],
    ] as const) {
      const { stoa, recorded } = against(environment, scenario, { timeoutMs })
      const error = await rejection(stoa.getProject({ slug: 'a' }, { retries }))
      check(error instanceof environment.client.StoaConnectionError, String(error))
      same([nameOf(error.cause), error.status], ['TimeoutError', status], scenario)
      same((await recorded()).length, retries + 1, 'attempts')
    }
  },

  'throws a StoaConnectionError for an answer that is not one of the host, and does not repeat it':
    async environment => {
      for (const [scenario, status] of [
        ['page', 200],
        ['page-404', 404],
        ['redirect', null],
      ] as const) {
        const { stoa, recorded } = against(environment, scenario)
        const error = await rejection(stoa.createProject({ slug: 'a', name: 'A' }))
        check(error instanceof environment.client.StoaConnectionError, `${scenario}: ${error}`)
        check(/did not come from a Stoa host/.test(error.message), error.message)
        if (status !== null) same([error.status, nameOf(error.cause)], [status, 'SyntaxError'], scenario)
        same((await recorded()).length, 1, `attempts of ${scenario}`)
      }
      const { stoa } = against(environment, 'other-json', { retries: 0 })
      same((await rejection(stoa.getHealth())).status, 502)
    },

  'repeats what may pass': async environment => {
    for (const scenario of [
      ...[
        'page-502',
        'cut-once',
        'cut-chunks-once',
        'reset-once',
        'overloaded-once',
        'timeout-once',
        'gateway-timeout-once',
      ],
    ]) {
      const { stoa, recorded } = against(environment, scenario)
      same((await stoa.getProject({ slug: 'web-shop' })).slug, 'web-shop', scenario)
      same((await recorded()).length, 2, `attempts of ${scenario}`)
    }
  },

  'repeats GET, PUT and DELETE, and neither PATCH nor a POST that does not create': async environment => {
    const calls: [expected: number, (stoa: Client.Stoa) => Promise<unknown>][] = [
      [3, stoa => stoa.getProject({ slug: 'a' })],
      [3, stoa => stoa.setReference({ set: 'domain', entries: [] } as never)],
      [3, stoa => stoa.deleteProject({ slug: 'a' })],
      [1, stoa => stoa.updateProject({ slug: 'a', name: 'A' })],
      [1, stoa => stoa.resolveReference({ keys: ['a'] } as never)],
      // The host ignores the key there: a second request would replace the secret again.
      [1, stoa => stoa.rotateAppSecret({ id: 'app_1' }, { headers: { 'Idempotency-Key': 'chosen' } })],
    ]
    for (const [expected, call] of calls) {
      for (const scenario of ['overloaded', 'cut']) {
        const { stoa, recorded } = against(environment, scenario)
        const error = await rejection(call(stoa))
        const { ServerError, StoaConnectionError } = environment.client
        check(error instanceof (scenario === 'cut' ? StoaConnectionError : ServerError), String(error))
        const all = await recorded()
        same(all.length, expected, `attempts of ${all[0]?.method} ${all[0]?.path} in ${scenario}`)
      }
    }
  },

  'does not repeat a conflict or a defect, and repeats as often as it is told': async environment => {
    for (const [scenario, options, expected] of [
      ['conflict', {}, 1],
      ['internal', {}, 1],
      ['overloaded', {}, 3],
      ['overloaded', { retries: 0 }, 1],
      ['overloaded', { retries: 1 }, 2],
    ] as const) {
      const { stoa, recorded } = against(environment, scenario)
      await rejection(stoa.getProject({ slug: 'a' }, options))
      same((await recorded()).length, expected, `attempts of ${scenario} with ${JSON.stringify(options)}`)
    }
  },

  'sends one idempotency key with all attempts of a call that creates': async environment => {
    const { stoa, recorded } = against(environment, 'lost-once')
    same((await stoa.createProject({ slug: 'web-shop', name: 'Web shop' })).slug, 'web-shop')
    await stoa.createProject({ slug: 'other', name: 'Other' })
    await stoa.createProject({ slug: 'third', name: 'Third' }, { idempotencyKey: 'chosen' })
    await stoa.updateProject({ slug: 'third', name: 'Third' })
    const [first, second, other, third, update] = await recorded()
    const keyOf = (one: Recorded | undefined) => one?.headers['idempotency-key'] ?? ''
    check(/^[0-9a-f-]{36}$/.test(keyOf(first)), `key ${keyOf(first)}`)
    same([keyOf(second), second?.body], [keyOf(first), first?.body], 'the second attempt')
    check(keyOf(other) !== keyOf(first), 'another call has another key')
    same([keyOf(third), keyOf(update)], ['chosen', ''])
  },

  'takes a header of the caller for the key, and the option before it': async environment => {
    const { stoa, recorded } = against(environment, 'created', { headers: { 'Idempotency-KEY': 'of the client' } })
    const input = { slug: 'web-shop', name: 'Web shop' }
    const headers = { 'idempotency-Key': 'of the call' }
    await stoa.createProject(input)
    await stoa.createProject(input, { headers })
    await stoa.createProject(input, { headers, idempotencyKey: 'of the option' })
    const keys = (await recorded()).map(one => one.headers['idempotency-key'])
    same(keys, ['of the client', 'of the call', 'of the option'])
    const lost = against(environment, 'lost-once')
    await lost.stoa.createProject(input, { headers })
    same(
      (await lost.recorded()).map(one => one.headers['idempotency-key']),
      ['of the call', 'of the call'],
    )
  },

  'throws a StoaConnectionError for a listing that has no pages or no end': async environment => {
    for (const [scenario, items, requests] of [
      ['ok', 0, 1],
      ['no-items', 0, 1],
      ['no-cursor', 0, 1],
      ['same-cursor', 2, 2],
      ['cursors-in-turn', 3, 3],
    ] as const) {
      const { stoa, recorded } = against(environment, scenario)
      let count = 0
      const loop = async () => {
        for await (const _ of stoa.listProjectsAll()) if (++count === 5) break
      }
      const error = await rejection(loop())
      check(error instanceof environment.client.StoaConnectionError, `${scenario}: ${error}`)
      same([error.status, count, (await recorded()).length], [200, items, requests], scenario)
    }
    const { stoa } = against(environment, 'same-cursor')
    const pages = stoa.listProjectsAll({ after: 'a' })
    await pages.next()
    check(/a cursor that an earlier page had/.test((await rejection(pages.next())).message), 'the cursor of the caller')
  },

  'waits as long as the host asks, and fails at once if that is too long': async environment => {
    for (const scenario of ['wait-1', 'wait-page-1']) {
      const { stoa, recorded } = against(environment, scenario)
      await stoa.getProject({ slug: 'a' })
      const [first, second] = (await recorded()) as [Recorded, Recorded]
      check(second.atMs - first.atMs >= 990, `${scenario}: waited ${second.atMs - first.atMs} ms`)
    }
    const long = against(environment, 'wait-3600')
    const error = await rejection(long.stoa.getProject({ slug: 'a' }))
    check(error instanceof environment.client.RateLimitError, String(error))
    same([error.retryAfter, (await long.recorded()).length], [3600, 1])
    const month = against(environment, 'wait-month', { retryWaitMaxMs: Number.POSITIVE_INFINITY })
    same((await rejection(month.stoa.getProject({ slug: 'a' }))).retryAfter, 2_592_001)
    same((await month.recorded()).length, 1, 'attempts if the wait is longer than a timer can be')
    const byDate = await rejection(against(environment, 'wait-date').stoa.getProject({ slug: 'a' }))
    check(byDate.retryAfter > 3500 && byDate.retryAfter <= 3600, `retryAfter ${byDate.retryAfter}`)
    const short = against(environment, 'wait-1', { retryWaitMaxMs: 900 })
    await rejection(short.stoa.getProject({ slug: 'a' }))
    same((await short.recorded()).length, 1, 'attempts if the wait is longer than the maximum')
  },

  'has no class for faults of other families': async environment => {
    for (const [scenario, code] of [
      ['budget', 'key_budget'],
      ['unknown', 'teapot'],
      ['type-constructor', 'teapot'],
      ['type-proto', 'teapot'],
    ]) {
      const error = await rejection(against(environment, scenario as string).stoa.getHealth())
      same([error.name, error.code], ['StoaApiError', code])
    }
  },
}
