// Amounts over time as stacked bars, with axes, a title on each bar, and the same figures as a table.
import { useState } from 'react'

export type Series = { name: string; tone: string }
/** `values`: one for each series, stacked from below. */
export type Point = { at: string; values: readonly number[] }

type Props = {
  label: string
  points: readonly Point[]
  series: readonly Series[]
  /** How a time and an amount are written. */
  timeText: (at: string) => string
  says: (value: number) => string
  /** The top of an axis without values. */
  least?: number
  className?: string
}

const HEIGHT = 100
const LABELS = [0, 1, 2, 3]
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)

export function BarChart(props: Props) {
  const { label, points, series, timeText, says, least = 10, className = '' } = props
  const [isTable, setTable] = useState(false)
  const top = niceTop(Math.max(...points.map(({ values }) => sum(values))), least)
  const width = 100 / points.length
  const shown = LABELS.map(n => points[Math.round((n * (points.length - 1)) / (LABELS.length - 1))])
  return (
    <figure>
      <figcaption className="panel-head">
        <h2>{label}</h2>
        {series.length > 1 && (
          <span className="legend">
            {series.map(({ name, tone }) => (
              <span key={name}>
                <i className={tone} />
                {name}
              </span>
            ))}
          </span>
        )}
        <button
          type="button"
          className="btn s right"
          data-kind="quiet"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      {isTable ? (
        <ChartTable {...props} />
      ) : (
        <div className={`chart ${className}`}>
          <div className="y" aria-hidden="true">
            {[0, top / 2, top].map(value => (
              <span key={value}>{says(value)}</span>
            ))}
          </div>
          <div className="plot" style={{ '--rows': 2 } as React.CSSProperties}>
            <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
              {points.map((point, n) => (
                <g key={point.at}>
                  <title>{titleOf(point, props)}</title>
                  {bars(point, top).map(({ y, height, at }) => (
                    <rect
                      key={at}
                      className={`br ${series[at]?.tone}`}
                      x={(n + 0.12) * width}
                      width={0.76 * width}
                      {...{ y, height }}
                    />
                  ))}
                </g>
              ))}
            </svg>
          </div>
          <div className="x" aria-hidden="true">
            {shown.map((point, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a label is its place
              <span key={n}>{point && timeText(point.at)}</span>
            ))}
          </div>
        </div>
      )}
    </figure>
  )
}

const ChartTable = ({ points, series, timeText, says }: Props) => (
  <div className="chart-table">
    <table className="table">
      <thead>
        <tr>
          <th>Time</th>
          {series.map(({ name }) => (
            <th key={name} className="r">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.toReversed().map(({ at, values }) => (
          <tr key={at}>
            <td>{timeText(at)}</td>
            {values.map((value, n) => (
              <td key={series[n]?.name} className="r">
                {says(value)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const titleOf = ({ at, values }: Point, { series, timeText, says }: Props) =>
  [timeText(at), ...series.map(({ name }, n) => `${name}: ${says(values[n] ?? 0)}`)].join('\n')

/** What is above zero is at least a line. */
function bars({ values }: Point, top: number): { at: number; y: number; height: number }[] {
  let below = 0
  return values.flatMap((value, at) => {
    const height = value > 0 ? Math.max(1, (HEIGHT * value) / top) : 0
    below += height
    return height > 0 ? [{ at, y: HEIGHT - below, height }] : []
  })
}

/** The next round amount. */
function niceTop(most: number, least: number): number {
  if (!(most > 0)) return least
  const power = 10 ** Math.floor(Math.log10(most))
  return power * ([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find(step => step * power >= most) ?? 10)
}
