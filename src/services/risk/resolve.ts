// Operations under /v1/risk/reference/resolve.
import { setImmediate } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import type { Clock } from '../../engines/engines.ts'
import { invalidField } from '../../kit/check.ts'
import { boolean, string } from '../../kit/fields.ts'
import { type Facts, factsOf } from './facts.ts'
import { factFields, Key, names, SetName, Verdict } from './fields.ts'
import type { LoadedSet } from './loaded-sets.ts'
import { isShort, KEY_BYTES_MAX } from './match/text.ts'
import type { OrgOverrides, SetOverrides } from './override-cache.ts'
import type { OverrideEntry } from './overrides.store.ts'
import { kindsOf, kindsRead, lacksForm } from './reading.ts'
import { operation, requireSet } from './state.ts'

const KEYS_MAX = 100

const Answer = Type.Object(
  {
    set: SetName,
    key: string('The key as requested', 'someone@example.com'),
    hit: boolean('Whether the key is a member. Has no meaning if there is a `refusal`', true),
    matched: Type.Optional(string('The member or override that covers the key', 'example.com')),
    from: Type.Optional(
      Type.Enum(['override', 'baseline'], {
        description: 'Whether an override of the organisation answered, or the published members',
      }),
    ),
    verdict: Type.Optional(Verdict),
    value: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Properties of the member, or the note of the override',
      }),
    ),
    score: Type.Optional(
      Type.Number({ description: 'Published risk weight, where the source gives one', examples: [0.8] }),
    ),
    ...factFields,
  },
  { title: 'ReferenceAnswer', description: 'The answer of one set for one key' },
)

const Version = Type.Object(
  {
    set: SetName,
    version: factFields.version,
    asOf: factFields.asOf,
    stale: factFields.stale,
    refusal: factFields.refusal,
  },
  { title: 'ReferenceVersion', description: 'The version of a set that was consulted' },
)

export const resolveReference = operation({
  route: 'POST /v1/risk/reference/resolve',
  summary:
    "Looks keys up, first in the organisation's overrides, then in the published members. Read `refused` before `hit`",
  description:
    'A miss on a set in `refused` says nothing about the key. A stale set still answers. Keys are not logged.',
  access: 'bearer',
  admits: ['apps'],
  audit: 'none',
  input: {
    keys: Type.Array(Key, {
      minItems: 1,
      maxItems: KEYS_MAX,
      description: `What to look up; at most ${KEYS_MAX} keys`,
      examples: [['someone@example.com', '192.0.2.7']],
    }),
    sets: Type.Optional(
      Type.Array(SetName, {
        maxItems: 100,
        description: 'Which sets to consult; by default every set that can read a key',
        examples: [['domain', 'net']],
      }),
    ),
  },
  output: Type.Object({
    answers: Type.Array(Answer, { description: 'One for each set and key consulted' }),
    consulted: Type.Array(Version, { description: 'Every set that took part' }),
    stale: names('Consulted sets that are older than their maximum age'),
    refused: names('Sets that could not be consulted: a key checked against one is unknown, not clean'),
  }),
  faults: ['not_found'],
  run: async ({ caller, clock, state: risk }, { keys, sets = [] }) => {
    for (const [at, key] of keys.entries()) {
      if (!isShort(key)) {
        throw invalidField(`keys.${at}`, `must have at most ${KEY_BYTES_MAX} bytes`)
      }
    }
    const named = [...new Set(sets)].map(set => requireSet(risk, set))
    const names = named.length > 0 ? named.map(({ entry }) => entry.set) : undefined
    const overrides = await risk.overrideCache.get(caller.org, names)
    return resolveAll(keys, named.length > 0 ? named : risk.loadedSets.all, named.length > 0, overrides, clock)
  },
})

type SetFacts = Facts & { set: string }

/** How long one request may run before it yields to others, and after how many keys it reads the clock, which costs as
 *  much as looking up a simple key. */
const YIELD_AFTER_MS = 5
const YIELD_CHECK_KEYS = 4

/** Runs for every key and every set, hundreds of times a request: loops and plain literals are the fastest. */
export async function resolveAll(
  keys: string[],
  chosen: readonly LoadedSet[],
  isNamed: boolean,
  overrides: OrgOverrides,
  clock: Clock,
) {
  const now = clock.now()
  // Copied, since a set may be swapped while this yields: all keys are answered from one version of a set.
  const sets = chosen.map(loaded => ({ ...loaded }))
  let since = clock.elapsedMs()
  const kinds = sets.map(({ entry }) => kindsRead(entry))
  const ownOverrides = sets.map(({ entry }) => overrides.get(entry.set))
  const consulted: (SetFacts | undefined)[] = sets.map(() => undefined)
  const answers: Static<typeof Answer>[] = []
  for (let n = 0; n < keys.length; n++) {
    const key = keys[n] as string
    if (n % YIELD_CHECK_KEYS === YIELD_CHECK_KEYS - 1 && clock.elapsedMs() - since > YIELD_AFTER_MS) {
      await setImmediate()
      since = clock.elapsedMs()
    }
    const kind = isNamed ? 0 : kindsOf(key)
    for (let at = 0; at < sets.length; at++) {
      if (!isNamed && (kind & (kinds[at] as number)) === 0) continue
      const loaded = sets[at] as LoadedSet
      const facts = consulted[at] ?? { set: loaded.entry.set, ...factsOf(loaded, now) }
      consulted[at] = facts
      answers.push(answerOf(loaded, key, ownOverrides[at], facts, isNamed))
    }
  }
  const all = consulted.filter(facts => facts !== undefined)
  return {
    answers,
    consulted: all.map(({ age: _, ...facts }) => facts),
    stale: all.filter(({ stale }) => stale).map(({ set }) => set),
    refused: all.filter(({ refusal }) => refusal !== undefined).map(({ set }) => set),
  }
}

const UNREADABLE = -2
const NONE = -1

/** Undefined fields are not sent. */
function answerOf(
  { entry, members }: LoadedSet,
  key: string,
  own: SetOverrides | undefined,
  { set, version, asOf, age, stale, refusal }: SetFacts,
  isNamed: boolean,
): Static<typeof Answer> {
  const overrideAt = own === undefined ? NONE : own.table.find(key, !isNamed)
  if (own !== undefined && overrideAt >= 0) {
    const { key: matched, verdict, note } = own.entries[overrideAt] as OverrideEntry
    const value = note === null ? undefined : { note }
    const hit = verdict === 'deny'
    return { set, key, hit, matched, from: 'override', verdict, value, version, asOf, age, stale } as Static<
      typeof Answer
    >
  }
  if (refusal !== undefined || !members) {
    return { set, key, hit: false, version, asOf, age, stale, refusal } as Static<typeof Answer>
  }
  const found = isNamed && lacksForm(entry, key) ? UNREADABLE : members.table.find(key, !isNamed)
  if (found === UNREADABLE) {
    const invalid = `The key is not a valid key of the set ${set}.`
    return { set, key, hit: false, version, asOf, age, stale, refusal: invalid } as Static<typeof Answer>
  }
  if (found === NONE) {
    return { set, key, hit: false, from: 'baseline', version, asOf, age, stale } as Static<typeof Answer>
  }
  const matched = members.table.member(found)
  const value = members.value(found)
  const weight = members.scores?.[found]
  const score = weight === undefined || Number.isNaN(weight) ? undefined : weight
  return { set, key, hit: true, matched, from: 'baseline', value, score, version, asOf, age, stale } as Static<
    typeof Answer
  >
}
