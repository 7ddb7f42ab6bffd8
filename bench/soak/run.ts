// An ordinary tenant beside two hostile ones: `npm run soak`, `npm run soak -- --minutes 2`. The hostile load is aimed
// at a second host (the control) and at the ordinary tenant's own host (the subject) in turn, so that both measure the
// same contention for the CPU. Exits with 1 when a target is missed. To find the part of the load that is the cause:
// `npm run soak -- --minutes 2 --parts patches,slowHeads`.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Command, Report } from './hostile.ts'
import { type SoakHost, startSoakHost } from './hosts.ts'
import { type Ordinary, openOrdinary } from './ordinary.ts'
import { PARTS } from './parts.ts'
import * as report from './report.ts'

const MINUTES = 10
const PHASE_MS = 30_000
const WARM_UP_MS = 20_000
const BASE_MS = 20_000
const REST_MS = 90_000
const SAMPLE_MS = 1_000
const P99_RATIO_MAX = 3
const MEMORY_RATIO_MAX = 1.3

/** Ends the run early, so that the hosts are stopped and their data is removed. */
const interrupted = new AbortController()
const wait = (ms: number) => setTimeout(ms, undefined, { signal: interrupted.signal })

async function run(minutes: number, parts: string[]): Promise<boolean> {
  await using host = await startSoakHost()
  await using second = await startSoakHost()
  const ordinary = openOrdinary(host.target)
  const hostile = fork(new URL('hostile.ts', import.meta.url))
  hostile.once('exit', code => interrupted.abort(new Error(`the hostile load ended with ${code}`)))
  try {
    await ordinary.prepare()
    const { measured, memory, spent } = await measure(minutes, { host, second, ordinary, aim: aimer(hostile, parts) })
    const metrics = await host.metrics()
    const missed = missedTargets(measured, memory)
    const sections = [
      report.timesTable(measured),
      report.memoryTable(memory),
      `refused by the host: ${report.refusalsOf(metrics)}`,
      `hostile load: ${(spent.cpuMs / (minutes * 60_000)).toFixed(2)} cores; ${textOf(spent.counts)}`,
      `failed and slowest requests:\n${report.notable(measured, host.log())}`,
      missed.length === 0 ? 'all targets met' : `missed: ${missed.join('; ')}`,
    ]
    process.stdout.write(`${sections.join('\n\n')}\n`)
    return missed.length === 0
  } finally {
    hostile.disconnect()
    await ordinary.close()
  }
}

type Aim = (at: SoakHost | null) => Promise<Report>
type Run = { host: SoakHost; second: SoakHost; ordinary: Ordinary; aim: Aim }

async function measure(minutes: number, { host, second, ordinary, aim }: Run) {
  const measured: report.Measured[] = []
  let side: report.Side | null = null
  const begin = () =>
    ordinary.begin(() => {
      const startedIn = side
      return outcome => void (startedIn && measured.push({ ...outcome, side: startedIn }))
    })
  begin()
  await wait(WARM_UP_MS)
  const base = least(await sampledFor(host, BASE_MS))
  const sampler = sampleMemory(host)
  let firstRound: report.Memory | null = null
  for (let phase = 0; phase < (minutes * 60_000) / PHASE_MS; phase++) {
    if (phase === 2) firstRound = greatest(sampler.samples)
    side = phase % 2 === 0 ? 'control' : 'subject'
    await aim(side === 'control' ? second : host)
    await wait(PHASE_MS)
  }
  const spent = await aim(null)
  await ordinary.end()
  side = null
  await sampler.end()
  const most = greatest(sampler.samples)
  begin()
  const rested = least(await sampledFor(host, REST_MS))
  await ordinary.end()
  return { measured, memory: { base, firstRound: firstRound ?? most, most, rested }, spent }
}

const aimer =
  (hostile: ChildProcess, parts: string[]): Aim =>
  async at => {
    hostile.send({ aim: at?.target ?? null, parts } satisfies Command)
    const [answer] = await once(hostile, 'message', { signal: interrupted.signal })
    return answer as Report
  }

/** The heap contains garbage most of the time; what is in use is the least of many samples. */
const least = (samples: report.Memory[]) => report.reduced(samples, Math.min)
const greatest = (samples: report.Memory[]) => report.reduced(samples, Math.max)

async function sampledFor(host: SoakHost, ms: number): Promise<report.Memory[]> {
  const sampler = sampleMemory(host)
  await wait(ms)
  await sampler.end()
  return sampler.samples
}

function sampleMemory(host: SoakHost) {
  const samples: report.Memory[] = []
  const running = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const sample = host
      .metrics()
      .then(metrics => void samples.push(report.memoryOf(metrics)))
      .catch(error => interrupted.abort(error)) // A host that does not answer here has failed.
      .finally(() => running.delete(sample))
    running.add(sample)
  }, SAMPLE_MS).unref()
  const end = async () => {
    clearInterval(timer)
    await Promise.all(running)
  }
  return { samples, end }
}

function missedTargets(measured: report.Measured[], memory: report.MemoryOverTime): string[] {
  const { base, firstRound, rested } = memory
  const failed = measured.filter(({ ok }) => !ok).length
  const atMost = (what: string, ratio: number, max: number) =>
    ratio <= max ? [] : [`${what} is ${ratio.toFixed(2)}, over ${max}`]
  const inUse = (one: report.Memory) => one.heap + one.external
  return [
    ...(failed > 0 ? [`${failed} requests of the ordinary tenant were not answered 2xx`] : []),
    ...atMost("its p99, relative to the control's,", report.ratioOf(measured.filter(report.isRequest)), P99_RATIO_MAX),
    ...atMost('memory in use after the rest, relative to its base,', inUse(rested) / inUse(base), MEMORY_RATIO_MAX),
    ...atMost('resident memory, relative to the first round,', rested.resident / firstRound.resident, MEMORY_RATIO_MAX),
  ]
}

const textOf = (counts: Record<string, number>) =>
  Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort())
try {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: String(MINUTES) }, parts: { type: 'string' } },
  })
  const minutes = Number(values.minutes)
  if (!(minutes >= 1)) throw new Error('--minutes must be a number, 1 or more')
  const parts = values.parts?.split(',') ?? []
  const unknown = parts.filter(name => !(name in PARTS))
  if (unknown.length > 0)
    throw new Error(`unknown part ${unknown.join(', ')}; available: ${Object.keys(PARTS).join(', ')}`)
  process.exitCode = (await run(minutes, parts)) ? 0 : 1
} catch (error) {
  const { message, cause } = error as Error
  process.stderr.write(`soak: ${message}${cause ? `: ${cause}` : ''}\n`)
  process.exitCode = 1
}
