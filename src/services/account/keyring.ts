// Resolves keys, sessions and access tokens to callers, remembering those it has seen. One that changes is forgotten at
// once, in every process on the same database; unknown ones are never remembered.
import type { Caller, Writer } from '../../kit/caller.ts'
import type { Credentials } from '../../kit/credentials.ts'
import { openMemory } from '../../kit/memory.ts'
import { type LastUsed, openLastUsed } from './last-used.ts'
import { ended, type Finder, findersOf, type Held, type LookUpOptions, refused } from './look-ups.ts'

/** How often a key's use is noted. */
const USE_NOTED_MS = 60_000

export type Keyring = Credentials & Pick<LastUsed, 'flush' | 'close'>
export type KeyringOptions = LookUpOptions & { warn: (error: unknown) => void }

export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { db, clock, warn } = options
  // By the text itself, because hashing it would be a tenth of a small request. It was in this memory anyway, in the
  // request; nothing of it is kept longer than it takes the next one to be learnt.
  const memory = openMemory<Held>()
  await db.listen('keys', memory.forget, memory.clear)
  const { note, flush, close } = openLastUsed(db, warn)
  const find = findersOf(options)

  const UNKNOWN = new Map([
    [find.key, 'This key is not known here. Was it copied whole?'],
    [find.workspace, 'This token is of no workspace here, or it has ended.'],
  ])

  function admitted(held: Held, nowMs: number): Writer {
    if (held.revoked) throw ended('key_revoked', 'This key was revoked')
    if (held.expiresMs <= nowMs) throw expired(held)
    if (nowMs - held.useNotedMs >= USE_NOTED_MS) {
      held.useNotedMs = nowMs
      note(held.writer.credential.id, nowMs)
    }
    return held.writer
  }

  function resolve(name: string, text: string, finder: Finder): Writer | Promise<Writer> {
    const nowMs = clock.now().getTime()
    const held = memory.get(name, nowMs)
    return held ? admitted(held, nowMs) : lookUp(name, text, nowMs, finder)
  }

  async function lookUp(name: string, text: string, nowMs: number, finder: Finder): Promise<Writer> {
    const { digest, look } = await finder(text)
    const held = await memory.learn(name, digest, nowMs, look)
    if (!held) throw refused(UNKNOWN.get(finder) ?? SIGNED_OUT)
    return admitted(held, clock.now().getTime())
  }

  return {
    // Its prefix is part of what a key's digest was made of, so the type found is the one its text says.
    secretKey: text => resolve(text, text, find.key) as Caller | Promise<Caller>,
    publishableKey: text => resolve(text, text, find.key),
    accessToken: text => resolve(text, text, find.token) as Caller | Promise<Caller>,
    workspaceToken: text => resolve(text, text, find.workspace),
    session: text => resolve(`session ${text}`, text, find.session) as Caller | Promise<Caller>,
    flush,
    close,
  }
}

const SIGNED_OUT = 'This session has ended; sign in again.'

function expired({ writer, expiresMs }: Held) {
  const { kind } = writer.credential
  if (kind === 'session') return refused(SIGNED_OUT)
  if (kind === 'token') return refused('This access token has expired; refresh it.')
  if (kind === 'workspace') return refused('This token has expired; make another one.')
  return ended('key_expired', `This key expired at ${new Date(expiresMs).toISOString()}`)
}
