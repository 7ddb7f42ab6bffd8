// What a look-up in the risk reference costs beyond the request that carries it: a hundred keys of every kind against two
// million members, and the same host answering a body as long to a body as long.
import assert from 'node:assert/strict'
import { Agent, request } from 'undici'
import { type Bench, requestBytes } from './harness.ts'
import { bodyOf as bodyIn, type Talk, wrong } from './load.ts'
import { ECHO_BODY_PATH } from './servers/operations.ts'
import { bodyOf, HITS, RESOLVE_PATH } from './servers/risk-keys.ts'
import { type BenchServer, startServer } from './servers/start.ts'

/** Together so many that hardly a key comes again before the memory it needs has been used for others. */
const BODIES_PER_CONNECTION = 64
/** Of different keys, answers differ in length by so much. */
const LENGTH_SHARE = 0.1

export const resolve: Bench = {
  promise: 'resolve, 100 mixed keys, 2,000,000 members',
  // The CPU time of a look-up falls until about the 5,000th, so 10,000 before the first round that counts are enough.
  requestsPerRound: 1_000,
  start: async servers => {
    const server = servers.use(await startServer('risk.ts'))
    const answer = await firstAnswer(server, RESOLVE_PATH)
    assert.deepEqual(await firstAnswer(server, ECHO_BODY_PATH), answer, 'the echo is that answer, to the letter')
    const { length } = JSON.stringify(answer)
    return {
      subject: { name: 'resolve', server, ...talkWith(server, RESOLVE_PATH, length) },
      controls: [{ name: `echo, ${length} bytes`, server, ...talkWith(server, ECHO_BODY_PATH, length), target: 0.6 }],
    }
  },
}

const talkWith = ({ key }: BenchServer, path: string, length: number) => ({
  talk: (connection: number): Talk => {
    const requests = Array.from({ length: BODIES_PER_CONNECTION }, (_, at) => {
      const headers = { authorization: `Bearer ${key}` }
      return requestBytes('POST', path, { body: bodyOf(connection * BODIES_PER_CONNECTION + at), headers })
    })
    let turn = 0
    return {
      request: () => requests[turn++ % requests.length] as Buffer,
      isWhole: bytes => {
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

/** What is answered to the first body, less the moment it was asked, which it tells of sets that are computed. */
async function firstAnswer(server: BenchServer, path: string): Promise<Answer> {
  const dispatcher = new Agent({ connect: { ca: server.ca } })
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const sent = { method: 'POST', body: bodyOf(0), headers, dispatcher } as const
  const answer = await request(`https://localhost:${server.port}${path}`, sent)
  const text = await answer.body.text()
  await dispatcher.close()
  assert.equal(answer.statusCode, 200, text)
  const told = JSON.parse(text) as Answer
  const { answers, consulted, refused, stale } = told
  const hits = new Set(answers.filter(({ hit }) => hit).map(({ key }) => key)).size
  assert.ok(hits >= HITS.min && hits <= HITS.max, `${hits} of the keys are members`)
  assert.deepEqual([refused.sort(), stale], [['issuer', 'reputation'], []], 'every set that is held answers')
  for (const one of [...answers, ...consulted]) if (one.asOf) one.asOf = one.asOf.replace(/\d/g, '0')
  return told
}
