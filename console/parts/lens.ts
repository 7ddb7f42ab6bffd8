// The time and the conditions of a screen of events. They are in its address, under the names that the API has for them.
import { useAddress } from '../frame/search.ts'

export const RANGES = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['12mo', '12 months'],
  ['day', 'Today'],
  ['week', 'This week'],
  ['month', 'This month'],
  ['all', 'All time'],
] as const
export type RangeName = (typeof RANGES)[number][0]
export type LensInput = { range?: RangeName; from?: string; to?: string; where?: string[] }

/** `ordinary`: the time without a choice. */
export function useLens(ordinary: RangeName) {
  const [search, change] = useAddress()
  const text = (name: string) => [search[name] ?? ''].flat().at(-1) ?? ''
  const [from, to] = [text('from'), text('to')]
  const range = RANGES.find(([name]) => name === text('range'))?.[0] ?? ordinary
  const where = [search.where ?? []].flat()
  const between = { from, ...(to !== '' && { to }) }
  const input: LensInput = { ...(from ? between : { range }), ...(where.length > 0 && { where }) }
  const none = { from: undefined, to: undefined, open: undefined }
  return {
    input,
    range,
    where,
    /** Whether the time has a beginning and an end of its own. */
    isBetween: from !== '',
    choose: (name: RangeName) => change({ ...none, range: name === ordinary ? undefined : name }),
    chooseBetween: (start: string, end: string) => change({ ...none, from: start, to: end }),
    /** Back to the range from which a time was chosen. */
    reset: () => change(none),
    setWhere: (all: readonly string[]) => change({ where: all.length > 0 ? [...all] : undefined, open: undefined }),
  }
}

export type Lens = ReturnType<typeof useLens>
