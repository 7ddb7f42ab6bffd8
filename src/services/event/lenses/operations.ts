// The lenses: what analytics reads of events.
export { listErrorGroups } from './errors.ts'
export { exportEvents, listRawEvents } from './events.ts'
export { listEventNames } from './insights.ts'
export { getEventOverview } from './overview.ts'
export { getEventTimeseries } from './timeseries.ts'
export { getEventTop } from './top.ts'
