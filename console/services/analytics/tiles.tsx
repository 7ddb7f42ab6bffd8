// The figures of the time. The chosen one is drawn below.
import type { Overview } from '../../../client/stoa.js'
import { Delta } from '../../parts/delta.tsx'
import { Estimate } from '../../parts/estimate.tsx'
import { FIGURES, type Figure } from './queries.ts'

type Props = { of: Overview | undefined; chosen: Figure; onChoose: (figure: Figure) => void }

export const Tiles = ({ of, chosen, onChoose }: Props) => (
  <div className="tiles figures" role="group" aria-label="Figures">
    {FIGURES.map(figure => {
      const { id, label, says, better } = figure
      return (
        <button
          key={id}
          type="button"
          className="tile"
          aria-pressed={figure === chosen}
          onClick={() => onChoose(figure)}
        >
          <span className="label">{label}</span>
          <span className="figure" title={of && figure.isWhole ? figure.of(of).toLocaleString() : undefined}>
            {of === undefined ? <span className="skeleton" /> : <Value figure={figure} of={of} />}
          </span>
          {of?.previous && <Delta now={figure.of(of)} before={figure.of(of.previous)} better={better} says={says} />}
        </button>
      )
    })}
    {of && <Revenue of={of} />}
  </div>
)

const Value = ({ figure, of }: { figure: Figure; of: Overview }) => {
  const text = figure.says(figure.of(of))
  return figure.id === 'visitors' ? <Estimate text={text} distinct={of.distinct} /> : text
}

/** More would not fit beside the other figures. */
const CURRENCIES_MAX = 3

/** The host has it by currency, and not over time. */
function Revenue({ of: { revenue, previous } }: { of: Overview }) {
  const most = Object.entries(revenue).toSorted(([, one], [, other]) => other - one)
  return most.slice(0, CURRENCIES_MAX).map(([currency, amount]) => {
    const says = (value: number) => amountText(value, currency)
    return (
      <div key={currency} className="tile">
        <span className="label">{most.length > 1 ? `Revenue, ${currency || 'no currency'}` : 'Revenue'}</span>
        <span className="figure" title={says(amount)}>
          {Math.abs(amount) < 1e5 ? says(amount) : amountText(amount, currency, true)}
        </span>
        {previous && <Delta now={amount} before={previous.revenue[currency] ?? 0} better={1} says={says} />}
      </div>
    )
  })
}

function amountText(amount: number, currency: string, isShort = false): string {
  const digits = isShort ? ({ notation: 'compact', maximumFractionDigits: 2 } as const) : {}
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...digits }).format(amount)
  } catch {
    // A sender may name a currency that does not exist.
    return `${new Intl.NumberFormat(undefined, digits).format(amount)} ${currency}`.trim()
  }
}
