// What this process knows of providers: those of the environment, those that the operator added, and servers that listen
// on this machine.
import type { Database, Http, Seal } from '../../../engines/engines.ts'
import { ADMIN_ORG } from '../../../kit/caller.ts'
import { type ConfiguredProvider, PROVIDERS } from '../providers/index.ts'
import * as store from '../store.ts'
import { findLocal } from './local.ts'
import { knownOffers, type Offer, offersOf } from './offer.ts'

export const PROVIDERS_CHANNEL = 'ai_providers'
export const PROVIDERS_MAX = 100

export const sealName = (provider: string) => `ai provider ${provider}`

export type Registry = {
  /** Resolves when changed providers are loaded, also while notifications are missing; null if nothing has to be loaded. */
  ready(): Promise<void> | null
  /** Those that offer the model, in the order in which they are tried. */
  offersOf(model: string): readonly Offer[]
  all(): readonly Offer[]
  /** Finds out whether a server on this machine came or went. */
  look(): Promise<void>
}

export type RegistryOptions = {
  db: Database
  http: Http
  seal: Seal
  configured: readonly ConfiguredProvider[]
  /** Addresses of servers that may listen on this machine. */
  local: readonly ConfiguredProvider[]
  warn: (error: unknown) => void
}

export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { db, configured, local, warn } = options
  const fixed = configured.flatMap(knownOffers)
  let added: Offer[] = []
  let found: Offer[] = []
  let byModel = new Map<string, Offer[]>()

  function index(): void {
    byModel = new Map()
    for (const offer of [...added, ...fixed, ...found]) {
      for (const name of [offer.id, `${offer.by}/${offer.id}`]) {
        byModel.set(name, [...(byModel.get(name) ?? []), offer])
      }
    }
  }
  const load = async () => {
    added = await addedOffers(options)
    index()
  }
  const look = async () => {
    found = (await Promise.all(local.map(one => findLocal(options.http, one)))).flat()
    index()
  }
  const reloading = oneAtATime(load, warn)
  await db.listen(PROVIDERS_CHANNEL, reloading.start, reloading.start)
  await Promise.all([load(), look()])
  return {
    ready: () => (db.isListening() ? reloading.running() : reloading.start()),
    offersOf: model => byModel.get(model) ?? explicit(model, configured),
    all: () => [...added, ...fixed, ...found],
    look,
  }
}

/** Runs the work again if it was requested while it ran. Failed work is requested again when the connection to the database
 *  is back. */
function oneAtATime(work: () => Promise<void>, warn: (error: unknown) => void) {
  /** Settles after all requested work, whatever its outcome. */
  let last: Promise<void> | null = null
  /** Has not begun, so that it also covers requests made now. */
  let next: Promise<void> | null = null
  function begin(): Promise<void> {
    const mine = (last ?? Promise.resolve()).then(() => {
      next = null
      return work()
    })
    const ended: Promise<void> = mine.catch(warn).then(() => {
      if (last === ended) last = null
    })
    last = ended
    return mine
  }
  return {
    running: () => last,
    start: (): Promise<void> => {
      next ??= begin()
      return next
    },
  }
}

/** `provider/model` reaches any model of a configured provider of which no models are known. */
function explicit(model: string, configured: readonly ConfiguredProvider[]): Offer[] {
  const [name = '', upstream = ''] = model.split(/\/(.*)/s, 2)
  const at = configured.find(({ provider }) => provider.name === name && provider.models.length === 0)
  const kind = /embed/i.test(upstream) ? 'embedding' : 'chat'
  return at && upstream !== '' ? [{ id: model, upstream, kind, price: null, by: name, at, bounds: {} }] : []
}

async function addedOffers({ db, seal }: RegistryOptions): Promise<Offer[]> {
  const rows = await store.selectProviders(db, '', PROVIDERS_MAX)
  return rows.flatMap(({ name, kind, baseUrl, apiKey, models }) => {
    const provider = PROVIDERS[kind]
    if (!provider) throw new Error(`the provider ${name} is of the unknown kind ${kind}`)
    const key = apiKey === null ? null : seal.unseal(ADMIN_ORG, sealName(name), apiKey)
    return offersOf(name, { provider, baseUrl, apiKey: key }, models)
  })
}
