// Starts bench servers, each in a separate process, so that its CPU time can be measured.
import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/engines/clock/clock.ts'
import { systemRandom } from '../../src/engines/random/random.ts'
import { localCertificate } from '../../src/engines/tls/certificate.ts'
import type { Command, Started, Used } from './serve.ts'
import type { Realm } from './sign-ins.ts'

export type BenchServer = Started & {
  /** The certificate of the authority that signed its own. */
  ca: string
  /** The CPU time it has used so far, in microseconds. */
  cpuUs(): Promise<number>
  used(): Promise<Used>
  [Symbol.asyncDispose](): Promise<void>
}

/** A control of a sign-in benchmark gets the realm of its subject. */
type ServerOptions = { realm?: Realm | undefined; args?: string[] }

export async function startServer(program: string, { realm, args = [] }: ServerOptions = {}): Promise<BenchServer> {
  const { pem, ca } = await certificate()
  const log = openLogFile()
  const child = fork(new URL(program, import.meta.url), args, { stdio: ['ignore', 'ignore', log, 'ipc'] })
  const exited = new Promise(resolve => child.once('exit', resolve)).then(() => closeSync(log))
  const ask = <Answer>(command: Command) => answerOf<Answer>(child, command, () => `${program} died:\n${tailOf(log)}`)
  const used = () => ask<Used>({ command: 'used' })
  const started = await ask<Started>({ command: 'start', pem, ...(realm && { realm }) })
  return {
    ...started,
    ca,
    cpuUs: async () => (await used()).cpuUs,
    used,
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

function answerOf<Answer>(child: ChildProcess, command: Command, failure: () => string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error(failure()))
    child.prependOnceListener('exit', died)
    child.once('message', answer => {
      child.off('exit', died)
      resolve(answer as Answer)
    })
    child.send(command, error => error && reject(error))
  })
}

let cached: Promise<{ pem: string; ca: string }> | null = null

/** Created once, so that all servers of a run use the same. Kept in memory only: nothing is left after a kill. */
function certificate(): Promise<{ pem: string; ca: string }> {
  cached ??= inTemporaryDirectory(async directory => {
    const engines = { clock: systemClock, random: systemRandom }
    const { cert, caFile } = await localCertificate(directory, ['localhost', '127.0.0.1'], engines)
    return { pem: cert, ca: readFileSync(caFile, 'utf8') }
  })
  return cached
}

/** A server's log goes to a file, as in production. The file is unlinked at once, so the kernel removes it. */
function openLogFile(): number {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-bench-log-'))
  const log = openSync(join(directory, 'log'), 'a+')
  rmSync(directory, { recursive: true })
  return log
}

function tailOf(log: number): string {
  const tail = Buffer.alloc(4096)
  const from = Math.max(0, fstatSync(log).size - tail.length)
  return tail.toString('utf8', 0, readSync(log, tail, 0, tail.length, from))
}

async function inTemporaryDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-bench-'))
  try {
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
