import './home.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { me } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Sheet } from '../../frame/sheet.tsx'
import { moneyText } from '../../parts/money.tsx'
import { Spark } from '../../parts/spark.tsx'
import { Time } from '../../parts/time.tsx'
import { Attention } from './attention.tsx'
import { FirstSteps, useFirstSteps } from './first-steps.tsx'
import { endpoints, errors, usage } from './queries.ts'

export function Home() {
  const { data: person } = useQuery(me)
  const steps = useFirstSteps()
  useCode('getUsageSummary', 'GET', '/v1/billing/usage/summary', { by: 'day' })
  if (!person || !steps) return <Sheet title="Home">{null}</Sheet>
  const isNew = steps.some(({ isDone }) => !isDone)
  const name = person.orgs.find(one => one.org === person.org)?.name ?? person.org
  return (
    <Sheet title="Home">
      {isNew ? (
        <FirstSteps name={name} steps={steps} />
      ) : (
        <>
          <header className="head">
            <div className="grow">
              <h1>Home</h1>
            </div>
          </header>
          <Figures />
        </>
      )}
      <Attention org={person.org} quiet={isNew} />
      <NewestErrors org={person.org} />
    </Sheet>
  )
}

const month = new Intl.DateTimeFormat(undefined, { month: 'long', timeZone: 'UTC' })

function Figures() {
  const { data: spent } = useQuery(usage)
  const { data: hooks } = useQuery(endpoints)
  const days = spent?.data ?? []
  const deliveries = hooks?.data.reduce((sum, one) => sum + one.deliveries7d, 0) ?? 0
  const failures = hooks?.data.reduce((sum, one) => sum + one.failures7d, 0) ?? 0
  const delivered = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
  return (
    <section className="section">
      <div className="tiles home-tiles">
        <Tile
          label={`Spent in ${month.format(new Date())}`}
          figure={spent ? moneyText(spent.amount, spent.currency) : '…'}
        >
          <Spark values={days.map(one => one.amount)} />
        </Tile>
        <Tile label={`Model calls in ${month.format(new Date())}`} figure={spent ? spent.count.toLocaleString() : '…'}>
          <Spark values={days.map(one => one.count)} />
        </Tile>
        <Tile
          label="Deliveries, 7 days"
          figure={hooks ? (deliveries === 0 ? '—' : delivered.format(1 - failures / deliveries)) : '…'}
        >
          <p className="muted">{`${(deliveries - failures).toLocaleString()} of ${deliveries.toLocaleString()} delivered`}</p>
        </Tile>
      </div>
    </section>
  )
}

const Tile = ({ label, figure, children }: { label: string; figure: string; children: React.ReactNode }) => (
  <div className="tile">
    <span className="label">{label}</span>
    <span className="figure">{figure}</span>
    {children}
  </div>
)

function NewestErrors({ org }: { org: string }) {
  const { data } = useQuery(errors)
  if (!data || data.data.length === 0) return null
  return (
    <section className="section">
      <div className="panel-head">
        <h2>Newest errors</h2>
        <span className="right">
          <Link to="/o/$org/$" params={{ org, _splat: 'errors' }}>
            All errors
          </Link>
        </span>
      </div>
      <ul className="rows">
        {data.data.map(({ id, exception, timestamp, release }) => (
          <li key={id}>
            <span className="grow cut">
              <b>{exception.type ?? 'Error'}</b> {exception.message}
            </span>
            {release && <span className="code">{release}</span>}
            <Time at={timestamp} />
          </li>
        ))}
      </ul>
    </section>
  )
}
