// Resolves keys and sessions to callers, remembering those it has seen. One that changes is forgotten at once, in every
// process on the same database; unknown ones are never remembered.
import type { Clock, Database } from '../../engines/engines.ts'
import type { Caller, Writer } from '../../kit/caller.ts'
import type { Credentials } from '../../kit/credentials.ts'
import { Fault } from '../../kit/fault.ts'
import { parseLimits } from '../../kit/limits.ts'
import { openMemory } from '../../kit/memory.ts'
import { digestOf, isWellSpelled } from './key-text.ts'
import { type LastUsed, openLastUsed } from './last-used.ts'
import * as store from './store.ts'

/** How often a key's use is noted. */
const USE_NOTED_MS = 60_000

type Held = { writer: Writer; expiresMs: number; revoked: boolean; useNotedMs: number }

export type Keyring = Credentials & Pick<LastUsed, 'flush' | 'close'>

export async function openKeyring(db: Database, clock: Clock, warn: (error: unknown) => void): Promise<Keyring> {
  // By the text itself, because hashing it would be a tenth of a small request. It was in this memory anyway, in the
  // request; nothing of it is kept longer than it takes the next one to be learnt.
  const memory = openMemory<Held>()
  await db.listen('keys', memory.forget, memory.clear)
  const { note, flush, close } = openLastUsed(db, warn)

  function admitted(held: Held, nowMs: number): Writer {
    const { writer } = held
    if (held.revoked) throw ended('key_revoked', 'This key was revoked; create another one')
    if (held.expiresMs <= nowMs) {
      const at = new Date(held.expiresMs).toISOString()
      if (writer.credential.kind === 'session') throw refused(SESSION_OVER)
      throw ended('key_expired', `This key expired at ${at}; create another one`)
    }
    if (nowMs - held.useNotedMs >= USE_NOTED_MS && writer.credential.kind !== 'session') {
      held.useNotedMs = nowMs
      note(writer.credential.id, nowMs)
    }
    return writer
  }

  type Look = (digest: string, text: string) => Promise<store.Found | null>

  const findKey: Look = async (digest, text) => {
    if (isWellSpelled(text)) return store.findKey(db, digest)
    throw refused('This is not a key: its check digits are wrong. Was it copied whole?')
  }
  const findSession: Look = digest => store.findSession(db, digest)

  function resolve(name: string, text: string, look: Look): Writer | Promise<Writer> {
    const nowMs = clock.now().getTime()
    const held = memory.get(name, nowMs)
    return held ? admitted(held, nowMs) : lookUp(name, text, nowMs, look)
  }

  async function lookUp(name: string, text: string, nowMs: number, look: Look): Promise<Writer> {
    const digest = digestOf(text)
    const held = await memory.learn(name, digest, nowMs, async () => {
      const found = await look(digest, text)
      return found && heldFrom(found, digest)
    })
    if (!held) throw refused(name === text ? 'This key is not known here. Was it copied whole?' : SESSION_OVER)
    return admitted(held, clock.now().getTime())
  }

  return {
    // Its prefix is part of what a key's digest was made of, so the type found is the one its text says.
    secretKey: text => resolve(text, text, findKey) as Caller | Promise<Caller>,
    publishableKey: text => resolve(text, text, findKey),
    session: text => resolve(`session ${text}`, text, findSession) as Caller | Promise<Caller>,
    flush,
    close,
  }
}

const SESSION_OVER = 'This session has ended; sign in again.'

function heldFrom(found: store.Found, digest: string): Held {
  const { id, kind, org, user, email, role, rate } = found
  const limits = parseLimits(found.limits)
  const only = limits?.project?.size === 1 ? [...limits.project][0] : undefined
  const capped = found.budget_month > 0 || found.budget_total > 0
  const budget = capped ? { month: found.budget_month, total: found.budget_total } : null
  const person = kind === 'publishable' ? { user: null, email: null, role: null } : { user, email, role }
  return {
    writer: { org, project: only ?? null, ...person, credential: { kind, id, digest, limits, budget, rate } },
    expiresMs: found.expires === null ? Number.POSITIVE_INFINITY : Date.parse(found.expires),
    revoked: found.revoked || role === null,
    useNotedMs: found.last_used === null ? Number.NEGATIVE_INFINITY : Date.parse(found.last_used),
  }
}

const refused = (message: string) =>
  new Fault('credential_refused', { message, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })

const ended = (code: 'key_expired' | 'key_revoked', message: string) =>
  new Fault(code, { message: `${message}.`, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
