// The state of the service: the models that can be called, what failed lately, and the local embedding model.

import type { OrgId } from '../../kit/caller.ts'
import { type Opened, type Opening, serviceKit } from '../../kit/service.ts'
import { openUnawaited } from '../../kit/unawaited.ts'
import { type Attempts, openModelAttempts } from './call/attempts.ts'
import { type LocalEmbed, openLocalEmbed } from './local-embed/local-embed.ts'
import { openRegistry, type Registry } from './models/registry.ts'
import type { FixedProvider } from './providers/fixed.ts'
import { type ConfiguredProvider, PROVIDERS, providersIn } from './providers/index.ts'
import * as store from './store.ts'
import { reportTokenizer } from './tokens.ts'

export type AiState = {
  registry: Registry
  fixed: readonly FixedProvider[]
  send: Attempts
  localEmbed: LocalEmbed
  /** Writes a line of the log of requests, soon. */
  log(row: store.RequestRow): void
  /** Records that the organisation received this response. Never rejects: a failure must not cost the client the answer. */
  recordResponse(org: OrgId, issued: store.IssuedResponse): Promise<void>
}

export const { operation, schedule } = serviceKit<AiState>()

/** Servers on this machine that are discovered when they listen. */
const LOCAL = ['ollama', 'llamacpp']

type Values = Record<string, string | null> & { STOA_AI_LOCAL: 'look' | 'off' }

export async function openAi({ engines, settings, warn }: Opening<Values>): Promise<Opened<AiState>> {
  const configured = providersIn(environmentOf(settings))
  const local = localServers(settings, configured)
  const registry = await openRegistry({ ...engines, configured, local, warn })
  const found = local.filter(one => !configured.includes(one))
  const localEmbed = openLocalEmbed()
  const { db, clock } = engines
  const unawaited = openUnawaited(warn)
  const stopReports = reportTokenizer(warn)
  return {
    state: {
      registry,
      fixed: [
        ...configured.map(at => ({ at, from: 'environment' as const })),
        ...found.map(at => ({ at, from: 'machine' as const })),
      ],
      send: openModelAttempts(engines),
      localEmbed,
      recordResponse: (org, issued) =>
        store.saveResponse(db.for(org).autocommit, org, issued, clock.now().toISOString()).catch(warn),
      log: row => unawaited.start(store.insertRequests(db.for(row.org).autocommit, [row])),
    },
    gauges: localEmbed.gauges,
    close: async () => {
      stopReports()
      await localEmbed.close()
      await unawaited.ended()
    },
  }
}

const environmentOf = (settings: Values) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? undefined]))

function localServers(
  { STOA_AI_LOCAL: mode }: Values,
  configured: readonly ConfiguredProvider[],
): ConfiguredProvider[] {
  const given = configured.filter(({ provider }) => LOCAL.includes(provider.name) || provider.name === 'vllm')
  if (mode === 'off') return given
  const others = LOCAL.filter(name => !given.some(({ provider }) => provider.name === name))
  const standard = others.flatMap(name => {
    const provider = PROVIDERS[name]
    return provider?.baseUrl ? [{ provider, baseUrl: provider.baseUrl, apiKey: null }] : []
  })
  return [...given, ...standard]
}
