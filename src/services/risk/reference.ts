// Operations under /v1/risk/reference: the sets, and the overrides of the caller's organisation.
import { Type } from 'typebox'
import { invalidField } from '../../kit/check.ts'
import { conflict } from '../../kit/fault.ts'
import { boolean, integer, string, timestamp } from '../../kit/fields.ts'
import { lock } from '../../kit/lock.store.ts'
import { NAMED_MAX, referenceCleared, referenceOverridden } from './events.ts'
import { durationText, factsOf, maxAgeMs } from './facts.ts'
import { Key, names, ReferenceSet, SetName, Verdict } from './fields.ts'
import { originOf } from './import/fetch.ts'
import type { LoadedSet } from './loaded-sets.ts'
import { hasEmbeddedIpv4 } from './match/net.ts'
import * as store from './overrides.store.ts'
import { isPublicSuffix, overrideKey } from './reading.ts'
import { operation, requireSet } from './state.ts'

const PAGE = 200
const PAGE_MAX = 1_000
const ENTRIES_MAX = 1_000
const NOTE_BYTES_MAX = 512
/** Fits the maximum number of entries with keys and notes of maximum length, even if JSON escapes every character. */
const BODY_LIMIT = 8 * 1024 * 1024
/** Per organisation and set. */
const OVERRIDES_MAX = 10_000

export const listReference = operation({
  route: 'GET /v1/risk/reference',
  summary: 'Lists every set with its version and age. Read `stale` and `refused` first',
  description: "Members are the same for all organisations; `overrides` counts those of the caller's organisation.",
  access: 'bearer',
  output: Type.Object({
    sets: Type.Array(ReferenceSet, { description: 'Every set, always in the same order' }),
    stale: names('Sets older than their maximum age'),
    refused: names('Sets that cannot be consulted: a key checked against one is unknown, not clean'),
  }),
  run: async ({ caller, clock, state: risk }) => {
    const counts = await risk.overrideCache.counts(caller.org)
    const sets = risk.loadedSets.all.map(loaded => setOut(loaded, counts, clock.now(), risk.mirror))
    return {
      sets,
      stale: sets.filter(({ stale }) => stale).map(({ set }) => set),
      refused: sets.filter(({ refusal }) => refusal !== undefined).map(({ set }) => set),
    }
  },
})

const NOTE_EXAMPLES = ['A partner of ours']

const ReferenceOverride = Type.Object(
  {
    key: string('The key that it applies to, in its normal form', 'example.com'),
    verdict: Verdict,
    note: Type.Optional(Type.String({ description: 'The reason that was given', examples: NOTE_EXAMPLES })),
    by: string('The e-mail address of the person who wrote it', 'ada@example.com'),
    at: timestamp('When it was written'),
  },
  {
    title: 'ReferenceOverride',
    description: 'An entry of the organisation for a key, which takes precedence over the members of the set',
  },
)

export const getReference = operation({
  route: 'GET /v1/risk/reference/{set}',
  summary: "Returns one set and the organisation's overrides on it, in key order",
  description: 'The members of a set are not listed; look keys up with `POST /v1/risk/reference/resolve`.',
  access: 'bearer',
  input: {
    set: SetName,
    after: Type.Optional(string('The last key of the previous page', '', { maxLength: 512 })),
    limit: Type.Optional(integer(`Page size; ${PAGE} by default, at most ${PAGE_MAX}`, PAGE, { minimum: 1 })),
  },
  output: Type.Object({
    set: ReferenceSet,
    overrides: Type.Array(ReferenceOverride, { description: 'The overrides of this page' }),
    next: string('The value of `after` for the next page; empty on the last page', ''),
  }),
  faults: ['not_found'],
  run: async ({ db, caller, clock, state: risk }, { set, after = '', limit = PAGE }) => {
    const loaded = requireSet(risk, set)
    const count = Math.min(limit, PAGE_MAX)
    const rows = await store.selectOverrides(db, caller.org, set, after, count + 1)
    const shown = rows.slice(0, count)
    return {
      set: setOut(loaded, await risk.overrideCache.counts(caller.org), clock.now(), risk.mirror),
      overrides: shown.map(({ note, ...row }) => ({ ...row, ...(note !== null && { note }) })),
      next: rows.length > count ? (shown.at(-1)?.key ?? '') : '',
    }
  },
})

/** Such an override would be stored but match none of these addresses. */
const CARRIED =
  'contains IPv4 addresses embedded in IPv6, which are looked up as IPv4: write them as IPv4 (such as 192.0.2.0/24), and other IPv6 prefixes separately (such as 2000::/3)'

const ReferenceOverrideIn = Type.Object(
  {
    key: Key,
    verdict: Verdict,
    note: Type.Optional(Type.String({ description: `Why, at most ${NOTE_BYTES_MAX} bytes`, examples: NOTE_EXAMPLES })),
  },
  { additionalProperties: false, title: 'ReferenceOverrideIn', description: 'An override to write' },
)

export const setReference = operation({
  route: 'PUT /v1/risk/reference/{set}',
  summary: 'Writes overrides of the organisation on a set, all or none; an earlier override of a key is replaced',
  description: `Overrides win over the members of the set, for this organisation only. A \`deny\` on a domain covers its subdomains. At most ${ENTRIES_MAX} per call, and ${OVERRIDES_MAX} on a set.`,
  access: 'bearer',
  bodyLimit: BODY_LIMIT,
  input: {
    set: SetName,
    entries: Type.Array(ReferenceOverrideIn, {
      description: 'The overrides; of several on the same key the last one counts',
      minItems: 1,
      maxItems: ENTRIES_MAX,
      examples: [[{ key: 'example.com', verdict: 'deny' }]],
    }),
  },
  output: Type.Object({
    set: SetName,
    written: integer('Number of overrides written by this call', 1),
    overrides: integer('Number of overrides that the organisation now has on the set', 1),
  }),
  faults: ['not_found', 'conflict'],
  audit: 'risk.override',
  emits: referenceOverridden,
  run: async ({ caller, clock, state, write }, { set, entries }) => {
    const { entry } = requireSet(state, set)
    const distinct = new Map<string, store.OverrideEntry>()
    for (const [at, { key: text, verdict, note = null }] of entries.entries()) {
      const key = overrideKey(entry, text)
      if (key === null) throw invalidField(`entries.${at}.key`, `is not a valid key of the set ${set}`)
      if (entry.match === 'net' && hasEmbeddedIpv4(key)) throw invalidField(`entries.${at}.key`, CARRIED)
      if (isPublicSuffix(entry, key))
        throw invalidField(`entries.${at}.key`, 'is a public suffix; name the domains below it')
      if (note !== null && Buffer.byteLength(note) > NOTE_BYTES_MAX) {
        throw invalidField(`entries.${at}.note`, `must have at most ${NOTE_BYTES_MAX} bytes`)
      }
      distinct.set(key, { key, verdict, note })
    }
    const by = { by: caller.email, at: clock.now().toISOString() }
    return write({ serialize: true }, async ({ db, record, emit }) => {
      await lock(db, `risk overrides of ${caller.org}`)
      const written = [...distinct.values()]
      const recorded = written.slice(0, NAMED_MAX)
      const before = await store.selectVerdicts(db, caller.org, set, keysOf(recorded))
      await store.upsertOverrides(db, caller.org, set, written, by)
      const overrides = await store.countOverrides(db, caller.org, set)
      if (overrides > OVERRIDES_MAX) {
        throw conflict(
          `An organisation may have at most ${OVERRIDES_MAX} overrides on a set, and this request would make it ${overrides}; nothing was written.`,
        )
      }
      const verdicts = { ...(before.length > 0 && { from: verdictsOf(before) }), to: verdictsOf(recorded) }
      record(set, { verdicts, written: { to: distinct.size } })
      emit('risk.reference.overridden', { set, written: distinct.size, keys: keysOf(recorded) })
      return { set, written: distinct.size, overrides }
    })
  },
})

export const clearReference = operation({
  route: 'DELETE /v1/risk/reference/{set}',
  summary: 'Removes an override of the organisation; published members cannot be removed',
  description: 'If there is no such override, nothing happens and `cleared` is false.',
  access: 'bearer',
  input: { set: SetName, key: Key },
  output: Type.Object({
    set: SetName,
    key: string('The key as requested', 'example.com'),
    cleared: boolean('False if there was no such override, which is not an error', true),
    overrides: integer('Number of overrides that remain', 0),
  }),
  faults: ['not_found'],
  audit: 'risk.clear',
  emits: referenceCleared,
  run: async ({ caller, state, write }, { set, key: text }) => {
    const { entry } = requireSet(state, set)
    const key = overrideKey(entry, text)
    return write(async ({ db, record, emit }) => {
      const cleared = key === null ? null : await store.deleteOverride(db, caller.org, set, key)
      if (cleared) {
        record(set, { verdicts: { from: verdictsOf([cleared]) } })
        emit('risk.reference.cleared', { set, key: cleared.key, verdict: cleared.verdict })
      }
      return { set, key: text, cleared: cleared !== null, overrides: await store.countOverrides(db, caller.org, set) }
    })
  },
})

type KeyVerdict = Pick<store.OverrideEntry, 'key' | 'verdict'>
const keysOf = (entries: readonly KeyVerdict[]) => entries.map(({ key }) => key)
const verdictsOf = (entries: readonly KeyVerdict[]) =>
  Object.fromEntries(entries.map(({ key, verdict }) => [key, verdict]))

function setOut(loaded: LoadedSet, counts: ReadonlyMap<string, number>, now: Date, mirror: string | null) {
  const { set, what, kind, match, sources } = loaded.entry
  const rows = new Map(loaded.sources.map(row => [row.source, row]))
  return {
    set,
    what,
    kind,
    match,
    ...factsOf(loaded, now),
    maxAge: durationText(maxAgeMs(loaded)),
    keys: loaded.members?.valueAt.length ?? loaded.sources.reduce((sum, { keys }) => sum + keys, 0),
    overrides: counts.get(set) ?? 0,
    sources: sources.map(one => {
      const { source, basis, terms } = one
      const origin = kind === 'fetch' ? originOf(one, mirror) : one.origin
      const row = rows.get(source)
      const asOf = kind === 'local' ? now.toISOString() : row?.asOf
      return {
        source,
        basis,
        terms,
        origin: row?.origin ?? origin,
        keys: row?.keys ?? 0,
        ...(row?.version && { version: row.version }),
        ...(asOf && { asOf }),
        ...(row?.refusal && { refusal: row.refusal }),
      }
    }),
  }
}
