// The state of the risk service in memory.
import type { Engines } from '../../engines/engines.ts'
import type { Publishing } from '../../kit/events.ts'
import { Fault } from '../../kit/fault.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { readUrl } from '../../kit/setting.ts'
import { factsOf } from './facts.ts'
import { type LoadedSet, type LoadedSets, openLoadedSets } from './loaded-sets.ts'
import { type OverrideCache, openOverrideCache } from './override-cache.ts'
import { openRiskThread, type RiskThread } from './thread/open.ts'

export type Risk = {
  loadedSets: LoadedSets
  overrideCache: OverrideCache
  thread: RiskThread
  mirror: string | null
  /** For imports, which write under their own lease. */
  engines: Pick<Engines, 'db' | 'http'> & Publishing
}

export const { operation, schedule } = serviceKit<Risk>()

type RiskSettings = { STOA_RISK_MIRROR: string | null }

export async function openRisk(opening: Opening<RiskSettings>): Promise<Opened<Risk>> {
  const { engines, settings, baseUrl: source, warn } = opening
  const thread = openRiskThread('risk')
  const loadedSets = await openLoadedSets(engines, thread, warn)
  const overrideCache = await openOverrideCache(engines)
  const importing = { ...engines, source }
  const state: Risk = { engines: importing, loadedSets, overrideCache, thread, mirror: settings.STOA_RISK_MIRROR }
  return {
    state,
    gauges: () => [...gaugesOf(loadedSets, engines.clock.now()), ...thread.gauges(), ...overrideCache.gauges()],
    close: async () => {
      await Promise.all([thread.close(), overrideCache.close()])
      await loadedSets.close()
    },
  }
}

/** Returns the URL without a trailing slash. */
export function mirrorUrl(text: string): string {
  const { search, hash, href } = readUrl(text, ['https:', 'http:', 'file:'])
  if (search || hash) throw new Error('must have no query and no fragment')
  return href.replace(/\/+$/, '')
}

export function requireSet({ loadedSets }: Risk, set: string): LoadedSet {
  const found = loadedSets.find(set)
  if (found) return found
  throw new Fault('not_found', { message: `There is no set \`${set}\`; GET /v1/risk/reference lists them.` })
}

function gaugesOf({ all }: LoadedSets, now: Date) {
  const perSet = (value: (loaded: LoadedSet) => number) =>
    all.map(loaded => ({ labels: { set: loaded.entry.set }, value: value(loaded) }))
  const sources = all.flatMap(loaded => loaded.sources.map(source => ({ set: loaded.entry.set, ...source })))
  return [
    {
      name: 'stoa_risk_set_age_seconds',
      help: 'Age of each set of the risk reference',
      samples: perSet(loaded => {
        const { asOf } = factsOf(loaded, now)
        return asOf === undefined ? Number.NaN : (now.getTime() - Date.parse(asOf)) / 1000
      }),
    },
    {
      name: 'stoa_risk_set_refuses',
      help: 'Whether each set cannot be consulted',
      samples: perSet(loaded => Number(factsOf(loaded, now).refusal !== undefined)),
    },
    {
      name: 'stoa_risk_source_refused',
      help: 'Whether the last import of each source failed',
      samples: sources.map(({ set, source, refusal }) => ({
        labels: { set, source },
        value: Number(refusal !== null),
      })),
    },
    {
      name: 'stoa_risk_source_keys',
      help: 'Number of members each source contributes',
      samples: sources.map(({ set, source, keys }) => ({ labels: { set, source }, value: keys })),
    },
  ]
}
