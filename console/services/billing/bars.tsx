// Spending by day. The table below has the same numbers.
import { useQuery } from '@tanstack/react-query'
import { balance, moneyText } from '../../parts/money.tsx'

const label = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const HEIGHT = 100

export function DayBars({ days }: { days: { day: string; value: number }[] }) {
  const { data } = useQuery(balance)
  const top = niceTop(Math.max(...days.map(({ value }) => value)))
  const width = 100 / days.length
  const says = (cents: number) => (data ? moneyText(cents, data.currency) : '')
  const shown = [0, 1, 2, 3].map(n => days[Math.round((n * (days.length - 1)) / 3)]?.day ?? '')
  return (
    <figure className="chart bchart">
      <div className="y" aria-hidden="true">
        {[0, top / 2, top].map(cents => (
          <span key={cents}>{says(cents)}</span>
        ))}
      </div>
      <div className="plot" style={{ '--rows': 2 } as React.CSSProperties}>
        <svg
          className="s1"
          viewBox={`0 0 100 ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Spending by day"
        >
          {days.map(({ day, value }, n) => {
            const height = value > 0 ? Math.max(1, (HEIGHT * value) / top) : 0
            return (
              <rect
                key={day}
                className="br"
                x={n * width + width * 0.12}
                y={HEIGHT - height}
                width={width * 0.76}
                height={height}
              >
                <title>{`${label.format(new Date(day))}: ${says(value)}`}</title>
              </rect>
            )
          })}
        </svg>
      </div>
      <div className="x" aria-hidden="true">
        {shown.map(day => (
          <span key={day}>{day && label.format(new Date(day))}</span>
        ))}
      </div>
    </figure>
  )
}

/** The next of 1, 2 and 5 times a power of ten. */
function niceTop(most: number): number {
  if (!(most > 0)) return 100
  const power = 10 ** Math.floor(Math.log10(most))
  return power * ([1, 2, 5, 10].find(step => step * power >= most) ?? 10)
}
