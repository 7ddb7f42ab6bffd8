import { stoa } from '../../api.ts'
import { Tabs } from '../../parts/tabs.tsx'

/** Figures of a visible tab. */
export const REFRESH_MS = 10_000
/** It asks a mail server for a connection each time. */
const ENGINES_MS = 60_000

type Options = { signal: AbortSignal }

export const engines = {
  queryKey: ['engines'],
  queryFn: (options: Options) => stoa.listEngines({}, options),
  refetchInterval: ENGINES_MS,
}
export const consumers = {
  queryKey: ['consumers'],
  queryFn: (options: Options) => stoa.listConsumers({}, options),
  refetchInterval: REFRESH_MS,
}
export const queues = {
  queryKey: ['queues'],
  queryFn: (options: Options) => stoa.listQueues({}, options),
  refetchInterval: REFRESH_MS,
}

export const WITHIN = [{ label: 'Health', path: '/host/health' }]

export const HealthTabs = () => (
  <Tabs
    label="Health"
    of={[
      ['/host/health', 'Overview'],
      ['/host/health/dead-letters', 'Dead letters'],
      ['/host/health/tables', 'Tables'],
      ['/host/health/mail', 'Mail'],
    ]}
  />
)
