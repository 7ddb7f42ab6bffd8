// Ingest without a pause: `npm run soak:events`, `npm run soak:events -- --minutes 2`. Exits with 1 if the host uses more
// memory at the end than in its first minute.
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { type SoakHost, startSoakHost } from './hosts.ts'
import { type Memory, memoryOf, reduced } from './report.ts'

const MINUTES = 10
const CLIENTS = 16
const EVENTS = 50
const SAMPLE_MS = 1_000
const MEMORY_RATIO_MAX = 1.3

/** The least of the heap in a minute, because it contains garbage until the next full collection, and the most that was
 *  resident. */
type Minute = { events: number; inUse: number; resident: number }

async function run(minutes: number): Promise<boolean> {
  await using host = await startSoakHost()
  const sender = openSender(host)
  const all: Minute[] = []
  try {
    for (let minute = 1; minute <= minutes; minute++) {
      all.push(await measureMinute(host, sender))
      const { events, inUse, resident } = all.at(-1) as Minute
      const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
      process.stdout.write(`minute ${minute}: ${events} events, ${mb(inUse)} in use, ${mb(resident)} resident\n`)
    }
  } finally {
    await sender.end()
  }
  const [first, last] = [all[0] as Minute, all.at(-1) as Minute]
  const ratios = { 'in use': last.inUse / first.inUse, resident: last.resident / first.resident }
  const texts = Object.entries(ratios).map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`)
  process.stdout.write(`memory in the last minute, relative to the first: ${texts.join(', ')}\n`)
  return Object.values(ratios).every(ratio => ratio <= MEMORY_RATIO_MAX)
}

async function measureMinute(host: SoakHost, sender: { accepted(): number }): Promise<Minute> {
  const before = sender.accepted()
  const samples: Memory[] = []
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    samples.push(memoryOf(await host.metrics()))
    await new Promise(resolve => setTimeout(resolve, SAMPLE_MS))
  }
  const least = reduced(samples, Math.min)
  const { resident } = reduced(samples, Math.max)
  return { events: sender.accepted() - before, inUse: least.heap + least.external, resident }
}

function openSender({ target: { baseUrl, ca, ordinary } }: SoakHost) {
  const agent = new Agent({ connect: { ca }, connections: CLIENTS })
  let accepted = 0
  let isOver = false
  const batch = () =>
    Array.from({ length: EVENTS }, (_, n) => ({
      event: '$pageview',
      messageId: randomUUID(),
      distinctId: `user-${n}`,
      properties: { $current_url: `https://shop.example.com/${randomUUID()}`, plan: 'pro', items: [1, 2, 3] },
    }))
  const send = async () => {
    while (!isOver) {
      const answer = await request(`${baseUrl}/v1/event`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: `Bearer ${ordinary.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ batch: batch() }),
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`)
      accepted += JSON.parse(text).accepted
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, send))
  return {
    accepted: () => accepted,
    end: async () => {
      isOver = true
      await clients
      await agent.close()
    },
  }
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: String(MINUTES) } } })
process.exitCode = (await run(Number(values.minutes))) ? 0 : 1
