// What the risk reference keeps in memory, and how its operations find it.

import { Fault } from '../../kit/fault.ts'
import type { Opened, Opening } from '../../kit/service.ts'
import { factsOf } from './facts.ts'
import { type Overrides, openOverrides } from './overrides/spoken.ts'
import { openShelf, type Shelf, type Shelved } from './shelf.ts'
import { openThread, type Thread } from './thread/open.ts'

export type Risk = { shelf: Shelf; overrides: Overrides; thread: Thread; mirror: string | null }

export const riskOf = ({ state }: { state: unknown }): Risk => state as Risk

export async function openRisk({ engines, settings, warn }: Opening): Promise<Opened> {
  const thread = openThread()
  const shelf = await openShelf(engines, thread, warn)
  const overrides = await openOverrides(engines)
  const state: Risk = { shelf, overrides, thread, mirror: settings.riskMirror }
  return {
    state,
    gauges: () => gaugesOf(shelf, engines.clock.now()),
    close: async () => {
      await Promise.all([thread.close(), overrides.close()])
      await shelf.close()
    },
  }
}

export function requireSet({ shelf }: Risk, set: string): Shelved {
  const found = shelf.find(set)
  if (found) return found
  throw new Fault('not_found', { message: `There is no set \`${set}\`; GET /v1/risk/reference lists them.` })
}

function gaugesOf({ sets }: Shelf, now: Date) {
  const perSet = (value: (shelved: Shelved) => number) =>
    sets.map(shelved => ({ labels: { set: shelved.entry.set }, value: value(shelved) }))
  const sources = sets.flatMap(shelved => shelved.sources.map(source => ({ set: shelved.entry.set, ...source })))
  return [
    {
      name: 'stoa_risk_set_age_seconds',
      help: 'How old each set of the risk reference is',
      samples: perSet(shelved => {
        const { asOf } = factsOf(shelved, now)
        return asOf === undefined ? Number.NaN : (now.getTime() - Date.parse(asOf)) / 1000
      }),
    },
    {
      name: 'stoa_risk_set_refuses',
      help: 'Whether each set cannot be consulted',
      samples: perSet(shelved => Number(factsOf(shelved, now).refusal !== undefined)),
    },
    {
      name: 'stoa_risk_source_refused',
      help: 'Whether the last take of each source failed',
      samples: sources.map(({ set, source, refusal }) => ({
        labels: { set, source },
        value: Number(refusal !== null),
      })),
    },
    {
      name: 'stoa_risk_source_keys',
      help: 'How many members each source contributes',
      samples: sources.map(({ set, source, keys }) => ({ labels: { set, source }, value: keys })),
    },
  ]
}
