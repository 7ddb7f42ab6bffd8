// The parent's side of a bench server: a process of its own, so that its CPU time is its own.
import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localCertificate } from '../../src/certificate.ts'
import { systemClock } from '../../src/engines/clock/clock.ts'
import { systemRandom } from '../../src/engines/random/random.ts'
import type { Ask, Started } from './serve.ts'
import type { Realm } from './sign-ins.ts'

export type BenchServer = Started & {
  /** The authority that signed its certificate. */
  ca: string
  /** The CPU time it has used so far, in microseconds. */
  cpuUs(): Promise<number>
  [Symbol.asyncDispose](): Promise<void>
}

/** A server that is a control of sign-in gets the realm of its subject. */
export async function startServer(program: string, realm?: Realm): Promise<BenchServer> {
  const { pem, ca } = await certificate()
  const log = openLogFile()
  const child = fork(new URL(program, import.meta.url), { stdio: ['ignore', 'ignore', log, 'ipc'] })
  const exited = new Promise(resolve => child.once('exit', resolve)).then(() => closeSync(log))
  const ask = <Answer>(asked: Ask) => answerOf<Answer>(child, asked, () => `${program} died:\n${tailOf(log)}`)
  const started = await ask<Started>({ ask: 'start', pem, ...(realm && { realm }) })
  return {
    ...started,
    ca,
    cpuUs: async () => (await ask<{ cpuUs: number }>({ ask: 'cpu' })).cpuUs,
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

function answerOf<Answer>(child: ChildProcess, asked: Ask, complaint: () => string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const died = () => reject(new Error(complaint()))
    child.prependOnceListener('exit', died)
    child.once('message', answer => {
      child.off('exit', died)
      resolve(answer as Answer)
    })
    child.send(asked, error => error && reject(error))
  })
}

let made: Promise<{ pem: string; ca: string }> | null = null

/** Made once, so that all servers of a run have the same. Kept in memory alone: nothing is left if we are killed. */
function certificate(): Promise<{ pem: string; ca: string }> {
  made ??= inTemporaryDirectory(async directory => {
    const engines = { clock: systemClock, random: systemRandom }
    const { cert, caFile } = await localCertificate(directory, ['localhost', '127.0.0.1'], engines)
    return { pem: cert, ca: readFileSync(caFile, 'utf8') }
  })
  return made
}

/** A server's log goes to a file, as in production. The file has no name any more, so the kernel removes it. */
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
