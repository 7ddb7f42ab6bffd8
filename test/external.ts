// An external PostgreSQL server from the system's packages, over TLS with a password.
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openPostgres } from '../src/engines/db/postgres.ts'

const HOME = '/usr/lib/postgresql'
const PASSWORD = 'for this test alone'

export type ExternalPostgres = { url: string; version: string; stop(): void } | { missing: string }

export async function externalPostgres(): Promise<ExternalPostgres> {
  const version = existsSync(HOME) ? readdirSync(HOME).sort().at(-1) : undefined
  if (!version || !existsSync(join(HOME, version, 'bin/initdb'))) {
    return { missing: 'no PostgreSQL server is installed (Debian: apt-get install postgresql)' }
  }
  const bin = join(HOME, version, 'bin')
  const directory = mkdtempSync(join(tmpdir(), 'stoa-external-'))
  const root = process.getuid?.() === 0
  const ids = root ? { uid: 65_534, gid: 65_534 } : {}
  chmodSync(directory, 0o700)
  if (root) chownSync(directory, 65_534, 65_534)
  const file = (name: string, content: string | Buffer) => {
    const path = join(directory, name)
    writeFileSync(path, content, { mode: 0o600 })
    if (root) chownSync(path, 65_534, 65_534)
    return path
  }
  const passwordFile = file('password', PASSWORD)
  // Key and certificate in one file.
  const pem = file('server.pem', readFileSync(join(process.env.STOA_TEST_TLS as string, 'server.pem')))
  const data = join(directory, 'data')
  const options = ['-U', 'stoa', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--no-sync']
  const initdb = spawnSync(join(bin, 'initdb'), ['-D', data, ...options], { ...ids, cwd: '/', encoding: 'utf8' })
  if (initdb.status !== 0) throw new Error(`initdb: ${initdb.stderr}`)
  const port = await freePort()
  const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', directory, '-c', 'fsync=off']
  args.push('-c', 'ssl=on', '-c', `ssl_key_file=${pem}`, '-c', `ssl_cert_file=${pem}`)
  const server = spawn(join(bin, 'postgres'), args, { ...ids, cwd: '/', stdio: 'ignore' })
  const url = `postgres://stoa:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres?sslmode=require`
  await waitUntilReady(url)
  const stop = () => {
    server.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
  return { url, version, stop }
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const db = openPostgres({ at: { url }, connectionsMax: 1, queueMax: 1 })
    try {
      return await db.ping()
    } catch (error) {
      if (tries === 100) throw error
      await wait(100)
    } finally {
      await db.close()
    }
  }
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise(resolve => probe.close(resolve))
  return port
}
