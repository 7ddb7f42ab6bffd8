// What the visitors of the time have in common: tables of the values with the most of them. A row filters by its value.
import { useQuery } from '@tanstack/react-query'
import type { Top } from '../../../client/stoa.js'
import { errorText } from '../../frame/problems.tsx'
import { useParam } from '../../frame/search.ts'
import { Estimate } from '../../parts/estimate.tsx'
import { conditionText, fieldText, valueText } from '../../parts/facets.ts'
import type { Lens } from '../../parts/lens.ts'
import { countText, shareText, topOf } from './queries.ts'

const PANELS = [
  ['sources', 'Sources', ['source', 'campaign']],
  ['pages', 'Pages', ['path']],
  ['countries', 'Countries', ['country']],
  ['devices', 'Devices', ['browser', 'system', 'device']],
  ['events', 'Events', ['event']],
] as const

const FEW = 7
/** The host answers with no more. */
const MANY = 100

export const Panels = ({ lens }: { lens: Lens }) => (
  <section className="section cols apanels" style={{ '--n': 3 } as React.CSSProperties}>
    {PANELS.map(([id, title, fields]) => (
      <Panel key={id} {...{ id, title, fields, lens }} />
    ))}
  </section>
)

type PanelProps = { id: string; title: string; fields: readonly string[]; lens: Lens }

function Panel({ id, title, fields, lens }: PanelProps) {
  const [sent, setField] = useParam(id)
  const [long, setLong] = useParam('long')
  const field = fields.find(one => one === sent) ?? (fields[0] as string)
  const isLong = long === id
  const result = useQuery(topOf(lens.input, field, isLong ? MANY : FEW + 1))
  const { data, error, isPlaceholderData } = result
  const all = data?.data ?? []
  return (
    <section className="panel" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
        {fields.length > 1 && (
          <span className="right asub" role="group" aria-label={`${title} by`}>
            {fields.map(one => (
              <button
                key={one}
                type="button"
                aria-pressed={one === field}
                onClick={() => setField(one === fields[0] ? '' : one)}
              >
                {fieldText(one)}
              </button>
            ))}
          </span>
        )}
      </div>
      <div className="bars-head" aria-hidden="true">
        <span>{fieldText(field)}</span>
        <span>Visitors</span>
      </div>
      {error && !data ? (
        <p role="alert">
          {errorText(error)}{' '}
          <button type="button" className="btn s" onClick={() => void result.refetch()}>
            Try again
          </button>
        </p>
      ) : data ? (
        <div data-dim={isPlaceholderData || undefined}>
          <Rows of={data} shown={isLong ? MANY : FEW} field={field} lens={lens} />
        </div>
      ) : (
        <Skeletons />
      )}
      {(all.length > FEW || isLong) && (
        <button type="button" className="more" onClick={() => setLong(isLong ? '' : id)}>
          {isLong ? 'Show fewer' : `Show up to ${MANY}`}
        </button>
      )}
    </section>
  )
}

type RowsProps = { of: Top; shown: number; field: string; lens: Lens }

function Rows({ of: { data, distinct }, shown, field, lens }: RowsProps) {
  if (data.length === 0) return <p className="muted">None in this time.</p>
  const most = Math.max(1, ...data.map(({ visitors }) => visitors))
  return (
    <ul className="bars">
      {data.slice(0, shown).map(({ value, visitors, share }) => {
        const text = conditionText({ field, operator: 'is', value })
        const isSet = lens.where.includes(text)
        return (
          <li key={value} style={{ '--v': `${(100 * visitors) / most}%` } as React.CSSProperties}>
            <button
              type="button"
              className="cut"
              title={isSet ? 'This filter is set' : `Show only ${valueText(field, value)}`}
              aria-pressed={isSet}
              onClick={() => lens.setWhere(isSet ? lens.where.filter(one => one !== text) : [...lens.where, text])}
            >
              {valueText(field, value)}
            </button>
            <span>
              <Estimate text={countText(visitors)} distinct={distinct} />
              <span className="vh"> visitors</span>
            </span>
            <span className="pc">{shareText(share)}</span>
          </li>
        )
      })}
    </ul>
  )
}

const SKELETONS = Array.from({ length: FEW }, (_, n) => n)

const Skeletons = () => (
  <ul className="bars" aria-busy="true">
    {SKELETONS.map(n => (
      <li key={n}>
        <span className="skeleton" />
      </li>
    ))}
  </ul>
)
