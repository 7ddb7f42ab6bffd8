// What the risk reference keeps in memory.
import type { Engines } from '../../engines/engines.ts'
import { Fault } from '../../kit/fault.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { readUrl } from '../../kit/setting.ts'
import { factsOf } from './facts.ts'
import { type Overrides, openOverrides } from './overrides/spoken.ts'
import { openShelf, type Shelf, type Shelved } from './shelf.ts'
import { openThread, type Thread } from './thread/open.ts'

export type Risk = {
  shelf: Shelf
  overrides: Overrides
  thread: Thread
  mirror: string | null
  /** What taking from publishers needs; it writes under a lease of its own. */
  engines: Pick<Engines, 'db' | 'http' | 'clock' | 'random'>
}

export const { operation, schedule } = serviceKit<Risk>()

type RiskSettings = { STOA_RISK_MIRROR: string | null }

export async function openRisk({ engines, settings, warn }: Opening<RiskSettings>): Promise<Opened<Risk>> {
  const thread = openThread()
  const shelf = await openShelf(engines, thread, warn)
  const overrides = await openOverrides(engines)
  const state: Risk = { engines, shelf, overrides, thread, mirror: settings.STOA_RISK_MIRROR }
  return {
    state,
    gauges: () => gaugesOf(shelf, engines.clock.now()),
    close: async () => {
      await Promise.all([thread.close(), overrides.close()])
      await shelf.close()
    },
  }
}

/** Without a slash at its end. */
export function mirrorUrl(text: string): string {
  const { search, hash, href } = readUrl(text, ['https:', 'http:', 'file:'])
  if (search || hash) throw new Error('must have no query')
  return href.replace(/\/+$/, '')
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
