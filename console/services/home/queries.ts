// What Home shows: only what operations of the services answer.
import { queryOptions } from '@tanstack/react-query'
import { stoa } from '../../api.ts'

const REFRESH_MS = 10_000

/** The month of budgets and bills, which is that of UTC. */
const monthStart = () => `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`

const refreshed = { refetchInterval: REFRESH_MS } as const

export const usage = queryOptions({
  queryKey: ['usage', 'month'],
  queryFn: ({ signal }) => stoa.getUsageSummary({ by: 'day', since: monthStart(), limit: 31 }, { signal }),
  ...refreshed,
})

export type Range = '24h' | '7d' | '30d'
export const requests = (range: Range) =>
  queryOptions({
    queryKey: ['requests', range],
    queryFn: ({ signal }) => stoa.getRequests({ range }, { signal }),
    ...refreshed,
  })

/** The visitors of the time and of the time before. */
export const visitors = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'home', range],
    queryFn: ({ signal }) => stoa.getEventOverview({ range }, { signal }),
    ...refreshed,
  })

export const visitorsOverTime = (range: Range) =>
  queryOptions({
    queryKey: ['analytics', 'home', range, 'course'],
    queryFn: ({ signal }) => stoa.getEventTimeseries({ range, metric: 'visitors' }, { signal }),
    ...refreshed,
  })

/** Whether a model was ever called. */
export const firstCall = queryOptions({
  queryKey: ['usage', 'ever'],
  queryFn: ({ signal }) => stoa.listUsage({ limit: 1 }, { signal }),
  ...refreshed,
})

export const newestEvent = queryOptions({
  queryKey: ['events', 'home'],
  queryFn: ({ signal }) => stoa.listEvents({ limit: 1 }, { signal }),
  ...refreshed,
})

export const activeKeys = queryOptions({
  queryKey: ['keys', 'home'],
  queryFn: ({ signal }) => stoa.listKeys({ status: 'active', limit: 200 }, { signal }),
  ...refreshed,
})

export const endpoints = queryOptions({
  queryKey: ['webhooks', 'home'],
  queryFn: ({ signal }) => stoa.listWebhooks({ limit: 200 }, { signal }),
  ...refreshed,
})

export const sets = queryOptions({
  queryKey: ['risk', 'home'],
  queryFn: ({ signal }) => stoa.listReference({}, { signal }),
  ...refreshed,
})

export const errors = queryOptions({
  queryKey: ['errors', 'home'],
  queryFn: ({ signal }) => stoa.listErrors({ limit: 5 }, { signal }),
  ...refreshed,
})
