// Figures over time as lines: with axes, the values under the pointer or the arrow keys, the choice of a part of the time by dragging
// over it, and the same figures as a table.
import './lens.css'
import { type ReactNode, useId, useState } from 'react'
import { type Choice, useChoice } from './line-choice.ts'

/** `values`: one for each point; null for what has not happened yet. `at`: when its points begin, if that is another time. */
export type Line = {
  name: string
  tone: string
  values: readonly (number | null)[]
  isPast?: boolean
  at?: readonly string[]
}

export type LineChartProps = {
  label: string
  at: readonly string[]
  lines: readonly Line[]
  says: (value: number) => string
  timeText: (at: string, isFull: boolean) => string
  /** Counts have no halves. */
  isWhole: boolean
  /** Called with the first and the last point of a choice. */
  onChoose?: (first: number, last: number) => void
  /** Beside the heading. */
  tools?: ReactNode
}

const HEIGHT = 100
const WIDTH = 1_000
const TICKS = 4

export function LineChart(props: LineChartProps) {
  const { label, lines, tools } = props
  const [isTable, setTable] = useState(false)
  return (
    <figure className="course">
      <figcaption className="panel-head">
        <h2>{label}</h2>
        {lines.length > 1 && (
          <span className="legend">
            {lines.map(({ name, tone }) => (
              <span key={`${tone} ${name}`}>
                <i className={tone} />
                {name}
              </span>
            ))}
          </span>
        )}
        <span className="right">
          {tools}
          <button
            type="button"
            className="btn s"
            data-kind="quiet"
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? 'Show as chart' : 'Show as table'}
          </button>
        </span>
      </figcaption>
      {isTable ? <LineTable {...props} /> : <Drawing {...props} />}
    </figure>
  )
}

function Drawing(props: LineChartProps) {
  const { label, at, lines, says, timeText, isWhole, onChoose } = props
  const help = useId()
  const choice = useChoice(at.length, onChoose)
  const ticks = ticksOf(Math.max(0, ...lines.flatMap(({ values }) => values.map(one => one ?? 0))), isWhole)
  const top = ticks.at(-1) as number
  const now = choice.at ?? at.length - 1
  const isOne = isOneLine(lines)
  return (
    <div className="chart">
      <div className="y" aria-hidden="true">
        {ticks.map(tick => (
          <span key={tick}>{says(tick)}</span>
        ))}
      </div>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={`${label}, point by point`}
        aria-describedby={onChoose && help}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, at.length - 1)}
        aria-valuenow={now}
        aria-valuetext={textOf(props, now)}
        style={{ '--rows': ticks.length - 1 } as React.CSSProperties}
        {...choice.handlers}
      >
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map(({ name, tone, values, isPast = false }) => {
            const path = pathOf(values, at.length, top)
            return (
              <g key={`${tone} ${name}`} className={tone}>
                {isOne && !isPast && path && <path className="ar" d={areaOf(path)} />}
                <path className={isPast ? 'ln dash' : 'ln'} d={path} />
              </g>
            )
          })}
        </svg>
        {choice.brush && <span className="brush" style={brushStyle(choice.brush, at.length)} />}
        {choice.at !== null && <Cursor {...props} n={choice.at} top={top} />}
      </div>
      <div className="x" aria-hidden="true">
        {labelsOf(at).map(one => (
          <span key={one}>{timeText(one, false)}</span>
        ))}
      </div>
      {onChoose && (
        <p id={help} className="vh">
          Arrow keys go from point to point. With Shift they choose a part of the time, which Enter shows.
        </p>
      )}
    </div>
  )
}

/** Beside the time before. */
const isOneLine = (lines: readonly Line[]) => lines.filter(({ isPast }) => !isPast).length === 1

const shareOf = (n: number, count: number) => (count > 1 ? n / (count - 1) : 0.5)

function Cursor({ at, lines, says, timeText, n, top }: LineChartProps & { n: number; top: number }) {
  const x = shareOf(n, at.length)
  const [first] = lines
  const value = first?.values[n]
  const y = value === null || value === undefined ? undefined : 100 - (100 * value) / top
  const style = { '--x': `${100 * x}%`, '--y': `${y ?? 0}%` } as React.CSSProperties
  return (
    <>
      <span className="cursor" data-bare={y === undefined || !isOneLine(lines) || undefined} style={style} />
      <div className="tip" data-flip={x > 0.5 || undefined} style={style}>
        <p>{timeText(at[n] as string, true)}</p>
        {lines.map(({ name, tone, values, at: own }) => (
          <div key={`${tone} ${name}`}>
            <i className={tone} />
            <span>{own?.[n] ? timeText(own[n], true) : name}</span>
            <b>{saysOf(values[n], says)}</b>
          </div>
        ))}
      </div>
    </>
  )
}

const saysOf = (value: number | null | undefined, says: (value: number) => string) =>
  value === null || value === undefined ? '—' : says(value)

/** What a screen reader says of a point. */
const textOf = ({ at, lines, says, timeText }: LineChartProps, n: number) =>
  at[n] === undefined
    ? ''
    : [timeText(at[n], true), ...lines.map(({ name, values }) => `${name} ${saysOf(values[n], says)}`)].join(', ')

const brushStyle = ([from, to]: NonNullable<Choice>, count: number) =>
  ({
    '--x': `${100 * shareOf(from, count)}%`,
    '--w': `${100 * (shareOf(to, count) - shareOf(from, count))}%`,
  }) as React.CSSProperties

function pathOf(values: readonly (number | null)[], count: number, top: number): string {
  const places = values.flatMap((value, n) =>
    value === null ? [] : [`${(WIDTH * shareOf(n, count)).toFixed(1)} ${(HEIGHT * (1 - value / top)).toFixed(2)}`],
  )
  if (places.length === 0) return ''
  // One point alone is a short line.
  return places.length === 1 ? `M${places[0]}h1` : `M${places.join('L')}`
}

function areaOf(path: string): string {
  const places = path.slice(1).split('L')
  const x = (place: string | undefined) => place?.split(' ')[0] ?? '0'
  return `${path}L${x(places.at(-1))} ${HEIGHT}L${x(places[0])} ${HEIGHT}z`
}

const LABELS = [0, 1, 2, 3, 4]

/** About five times, of which the first and the last are at the ends. */
const labelsOf = (at: readonly string[]): string[] => [
  ...new Set(LABELS.flatMap(n => at[Math.round((n * (at.length - 1)) / (LABELS.length - 1))] ?? [])),
]

/** From 0 in equal round steps. */
function ticksOf(most: number, isWhole: boolean): number[] {
  const rough = (most > 0 ? most : TICKS) / TICKS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(one => one * power).find(one => one >= rough * 0.999) ?? rough
  const whole = isWhole ? Math.max(1, Math.ceil(step)) : step
  const count = Math.max(1, Math.ceil(most / whole - 1e-9))
  return Array.from({ length: (most > 0 ? count : isWhole ? TICKS : 1) + 1 }, (_, n) => n * whole)
}

const LineTable = ({ at, lines, says, timeText }: LineChartProps) => (
  <div className="chart-table">
    <table className="table">
      <thead>
        <tr>
          <th>Time</th>
          {lines.map(({ name, tone }) => (
            <th key={`${tone} ${name}`} className="r">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {at
          .map((one, n) => (
            <tr key={one}>
              <td>{timeText(one, true)}</td>
              {lines.map(({ name, tone, values }) => (
                <td key={`${tone} ${name}`} className="r">
                  {saysOf(values[n], says)}
                </td>
              ))}
            </tr>
          ))
          .toReversed()}
      </tbody>
    </table>
  </div>
)
