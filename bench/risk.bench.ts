// The cost of a look-up in the risk reference beyond the cost of the request: a hundred keys of every kind against two
// million members, compared with an echo of request and response bodies of the same length.
import assert from 'node:assert/strict'
import { Agent, request } from 'undici'
import { type Bench, requestBytes } from './harness.ts'
import { bodyOf as bodyIn, type Script, wrong } from './load.ts'
import { ECHO_BODY_PATH } from './servers/operations.ts'
import { bodyOf, HITS, RESOLVE_PATH } from './servers/risk-keys.ts'
import { type BenchServer, startServer } from './servers/start.ts'

/** Enough that keys rarely repeat while the memory they need is still in the CPU cache. */
const BODIES_PER_CONNECTION = 64
/** How much the length of answers varies with the keys. */
const LENGTH_SHARE = 0.1

export const resolve: Bench = {
  title: 'resolve, 100 mixed keys, 2,000,000 members',
  // The CPU time of a look-up falls until about the 5,000th, so 10,000 warm-up requests are enough.
  requestsPerRound: 1_000,
  start: async servers => {
    const server = servers.use(await startServer('risk.ts'))
    const answer = await firstAnswer(server, RESOLVE_PATH)
    assert.deepEqual(await firstAnswer(server, ECHO_BODY_PATH), answer, 'the echo returns exactly that answer')
    const { length } = JSON.stringify(answer)
    return {
      subject: { name: 'resolve', server, ...scriptsFor(server, RESOLVE_PATH, length) },
      controls: [{ name: `echo, ${length} bytes`, server, ...scriptsFor(server, ECHO_BODY_PATH, length), target: 0.6 }],
    }
  },
}

const scriptsFor = ({ key }: BenchServer, path: string, length: number) => ({
  script: (connection: number): Script => {
    const requests = Array.from({ length: BODIES_PER_CONNECTION }, (_, at) => {
      const headers = { authorization: `Bearer ${key}` }
      return requestBytes('POST', path, { body: bodyOf(connection * BODIES_PER_CONNECTION + at), headers })
    })
    let next = 0
    return {
      request: () => requests[next++ % requests.length] as Buffer,
      isComplete: bytes => {
        const body = bodyIn(bytes)
        if (body && Math.abs(body.length - length) > length * LENGTH_SHARE) throw wrong(bytes)
        return body !== null
      },
    }
  },
})

type Answer = {
  answers: { key: string; hit: boolean; asOf?: string; from?: string }[]
  consulted: { set: string; asOf?: string }[]
  refused: string[]
  stale: string[]
}

/** The answer to the first body without its times: local sets contain the time of the request. */
async function firstAnswer(server: BenchServer, path: string): Promise<Answer> {
  const dispatcher = new Agent({ connect: { ca: server.ca } })
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', body: bodyOf(0), headers, dispatcher } as const
  const answer = await request(`https://localhost:${server.port}${path}`, sent)
  const text = await answer.body.text()
  await dispatcher.close()
  assert.equal(answer.statusCode, 200, text)
  const parsed = JSON.parse(text) as Answer
  const { answers, consulted, refused, stale } = parsed
  const hits = new Set(answers.filter(({ hit }) => hit).map(({ key }) => key)).size
  assert.ok(hits >= HITS.min && hits <= HITS.max, `${hits} of the keys are members`)
  assert.deepEqual([refused.sort(), stale], [['issuer', 'reputation'], []], 'every set with data answers')
  for (const one of [...answers, ...consulted]) if (one.asOf) one.asOf = one.asOf.replace(/\d/g, '0')
  return parsed
}
