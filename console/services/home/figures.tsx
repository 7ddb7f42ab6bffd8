// What happened in the range: requests, how many failed, who visited, what was spent and delivered.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useParam } from '../../frame/search.ts'
import { BarChart } from '../../parts/chart.tsx'
import { Delta } from '../../parts/delta.tsx'
import { Estimate } from '../../parts/estimate.tsx'
import { moneyText } from '../../parts/money.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Spark } from '../../parts/spark.tsx'
import { endpoints, type Range, requests, usage, visitors, visitorsOverTime } from './queries.ts'

const RANGES = [
  ['24h', '24 h'],
  ['7d', '7 d'],
  ['30d', '30 d'],
] as const

export function useRange(): [Range, (range: Range) => void] {
  const [sent, set] = useParam('range')
  const chosen = RANGES.find(([range]) => range === sent)?.[0] ?? '24h'
  return [chosen, range => set(range === '24h' ? '' : range)]
}

export function RangeChoice() {
  const [range, setRange] = useRange()
  return <Segments label="Range" options={RANGES} chosen={range} onChoose={setRange} />
}

const month = new Intl.DateTimeFormat(undefined, { month: 'long', timeZone: 'UTC' })
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 })
const share = (part: number, of: number) => (of === 0 ? '—' : percent.format(part / of))

export function Figures() {
  const [range] = useRange()
  const { data: made } = useQuery({ ...requests(range), placeholderData: keepPreviousData })
  const { data: spent } = useQuery(usage)
  const { data: hooks } = useQuery(endpoints)
  const hours = made?.data ?? []
  const failed = made ? made.refused + made.failed : 0
  const deliveries = hooks?.data.reduce((sum, one) => sum + one.deliveries7d, 0) ?? 0
  const failures = hooks?.data.reduce((sum, one) => sum + one.failures7d, 0) ?? 0
  return (
    <section className="section">
      <div className="tiles home-tiles">
        <Tile label="Requests" figure={made && short.format(made.requests)} title={made?.requests.toLocaleString()}>
          <Spark values={hours.map(one => one.requests)} />
        </Tile>
        <Tile label="Refused or failed" figure={made && share(failed, made.requests)} title={failed.toLocaleString()}>
          <Spark values={hours.map(one => one.refused + one.failed)} tone="sd" />
        </Tile>
        <Visitors />
        <Tile
          label={`Model spend, ${month.format(new Date())}`}
          figure={spent && moneyText(spent.amount, spent.currency)}
        >
          <p className="muted">{`${(spent?.count ?? 0).toLocaleString()} ${spent?.count === 1 ? 'call' : 'calls'}`}</p>
        </Tile>
        <Tile label="Deliveries, 7 days" figure={hooks && share(deliveries - failures, deliveries)}>
          <p className="muted">{`${(deliveries - failures).toLocaleString()} of ${deliveries.toLocaleString()} delivered`}</p>
        </Tile>
      </div>
    </section>
  )
}

function Visitors() {
  const { org } = useParams({ strict: false }) as { org: string }
  const [range] = useRange()
  const { data } = useQuery({ ...visitors(range), placeholderData: keepPreviousData })
  const { data: course } = useQuery({ ...visitorsOverTime(range), placeholderData: keepPreviousData })
  const figure = data && (
    <>
      <Estimate text={short.format(data.visitors)} distinct={data.distinct} />
      {data.previous && (
        <Delta now={data.visitors} before={data.previous.visitors} better={1} says={one => one.toLocaleString()} />
      )}
    </>
  )
  const label = (
    <Link to="/o/$org/$" params={{ org, _splat: 'analytics' }} search={{ range } as never}>
      Visitors
    </Link>
  )
  return (
    <Tile label={label} figure={figure} title={data?.visitors.toLocaleString()}>
      <Spark values={course?.series[0]?.points.map(({ value }) => value) ?? []} />
    </Tile>
  )
}

type TileProps = { label: ReactNode; figure: ReactNode; title?: string | undefined; children: ReactNode }

const Tile = ({ label, figure, title, children }: TileProps) => (
  <div className="tile">
    <span className="label">{label}</span>
    <span className="figure" title={title}>
      {figure ?? '…'}
    </span>
    {children}
  </div>
)

const SERIES = [
  { name: 'Answered', tone: 'sq' },
  { name: 'Refused', tone: 'sw' },
  { name: 'Failed', tone: 'sd' },
]
const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
/** A bar for so many hours. */
const HOURS: Record<Range, number> = { '24h': 1, '7d': 6, '30d': 24 }

export function RequestChart() {
  const [range] = useRange()
  const { data } = useQuery({ ...requests(range), placeholderData: keepPreviousData })
  const points = Map.groupBy(data?.data ?? [], (_, n) => Math.floor(n / HOURS[range]))
  return (
    <section className="section">
      <BarChart
        label="Requests by outcome"
        series={SERIES}
        points={[...points.values()].map(of => {
          const sum = (count: 'requests' | 'refused' | 'failed') => of.reduce((all, one) => all + one[count], 0)
          const values = [sum('requests') - sum('refused') - sum('failed'), sum('refused'), sum('failed')]
          return { at: of[0]?.at ?? '', values }
        })}
        timeText={at => (range === '24h' ? hour : day).format(new Date(at))}
        says={value => short.format(value)}
      />
    </section>
  )
}
