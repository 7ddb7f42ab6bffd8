// What organisations have chosen for model calls, cached, because every call needs it.
import type { Clock, Database } from '../../engines/engines.ts'
import { openCache } from '../../kit/cache.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type AiSettings, selectSettings } from './store.ts'

export const SETTINGS_CHANNEL = 'ai_settings'

export const DEFAULT_SETTINGS: AiSettings = { aliases: [], fallbacks: [] }

/** The models to try for a name, in order. */
export type ChosenModels = (name: string) => readonly string[]

export type ChosenSettings = (org: OrgId) => ChosenModels | Promise<ChosenModels>

export async function openChosenSettings(db: Database, clock: Clock): Promise<ChosenSettings> {
  const cache = openCache<ChosenModels>(db.isListening)
  await db.listen(SETTINGS_CHANNEL, cache.drop, cache.clear)
  return org => {
    const nowMs = clock.now().getTime()
    const lookUp = async () => {
      const settings = await selectSettings(db, org)
      return { value: settings ? chosenIn(settings) : itself, aliases: [org] }
    }
    return cache.get(org, nowMs, lookUp) ?? cache.load(org, nowMs, org, lookUp).then(found => found ?? itself)
  }
}

const itself: ChosenModels = name => [name]

/** An alias has the fallbacks of its model, unless it has its own. */
function chosenIn({ aliases, fallbacks }: AiSettings): ChosenModels {
  const models = new Map(aliases.map(({ name, model }) => [name, model]))
  const next = new Map(fallbacks.map(({ model, to }) => [model, to]))
  return name => {
    const model = models.get(name) ?? name
    return [...new Set([model, ...(next.get(name) ?? next.get(model) ?? [])])]
  }
}
