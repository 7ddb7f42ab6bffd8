// The chosen figure over time, with the time before, or as a line for each value of a field.
import { useQuery } from '@tanstack/react-query'
import type { Series, Timeseries } from '../../../client/stoa.js'
import { useParam } from '../../frame/search.ts'
import { FIELDS, fieldText, valueText } from '../../parts/facets.ts'
import { Filter } from '../../parts/filter.tsx'
import type { Lens } from '../../parts/lens.ts'
import { type Line, LineChart } from '../../parts/line-chart.tsx'
import { Unloaded } from '../../parts/unloaded.tsx'
import { betweenText, pointText, timeBefore } from '../../parts/zone.ts'
import { courseOf, type Figure } from './queries.ts'

/** More lines cannot be told apart. */
const LINES_MAX = 5
const BY = [['', 'Nothing'], ...FIELDS] as const

export function Course({ lens, figure, compare }: { lens: Lens; figure: Figure; compare: boolean }) {
  const [sent, setBy] = useParam('by')
  const by = FIELDS.some(([field]) => field === sent) ? sent : ''
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(
    courseOf(lens.input, figure, by, compare && by === ''),
  )
  if (!data && error) {
    return <Unloaded what="The chart" error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  }
  const { range, interval } = data ?? { range: { from: '', to: '', zone: 'UTC' }, interval: 'day' }
  const at = data?.series[0]?.points.map(point => point.at) ?? []
  // The first point may begin before the range.
  const choose = (first: number, last: number) =>
    lens.chooseBetween(first === 0 ? range.from : (at[first] as string), at[last + 1] ?? range.to)
  return (
    <div className="card-pad" data-dim={isPlaceholderData || undefined}>
      {data ? (
        <LineChart
          label={by ? `${figure.label} by ${fieldText(by).toLowerCase()}` : figure.label}
          at={at}
          lines={linesOf(data, figure, by)}
          says={figure.says}
          isWhole={figure.isWhole}
          timeText={(one, isFull) => pointText(one, interval, range.zone, isFull)}
          onChoose={choose}
          tools={
            <>
              {lens.isBetween && (
                <button type="button" className="btn s" title="Show the former time (Esc)" onClick={lens.reset}>
                  Reset
                </button>
              )}
              <Filter label="Broken down by" options={BY} chosen={by} onChoose={setBy} />
            </>
          }
        />
      ) : (
        <div className="alater skeleton" />
      )}
    </div>
  )
}

/** Without points that are still to come. */
function linesOf({ range, series, previous }: Timeseries, figure: Figure, by: string): Line[] {
  const now = new Date().toISOString()
  const valuesOf = ({ points }: Series) => points.map(({ at, value }) => (at > now ? null : value))
  if (by) {
    return series
      .slice(0, LINES_MAX)
      .map((one, n) => ({ name: valueText(by, one.name), tone: `s${n + 1}`, values: valuesOf(one) }))
  }
  const own = series.slice(0, 1).map(one => ({ name: figure.label, tone: 's1', values: valuesOf(one) }))
  const before = (previous ?? []).slice(0, 1).map(({ points }) => ({
    ...{ name: betweenText(timeBefore(range)), tone: 'sp', isPast: true },
    ...{ values: points.map(({ value }) => value), at: points.map(({ at }) => at) },
  }))
  return [...own, ...before]
}
