import './billing.css'
import { useQuery } from '@tanstack/react-query'
import type { UsageSummary } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { BarChart } from '../../parts/chart.tsx'
import { download } from '../../parts/download.ts'
import { KeyName } from '../../parts/key-name.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { balance, Money, moneyText } from '../../parts/money.tsx'
import { Segments } from '../../parts/segments.tsx'
import { lastDays } from '../../parts/spark.tsx'
import { Tile } from './credits.tsx'
import { BillingTabs, spentSince, WITHIN } from './queries.tsx'

type Group = UsageSummary['data'][number]

const GROUPS = [
  ['day', 'Day'],
  ['key', 'Key'],
  ['model', 'Model'],
  ['project', 'Project'],
] as const
const RANGES = [
  ['7', '7 days'],
  ['', '30 days'],
  ['90', '90 days'],
] as const

export function Usage() {
  const [by, setBy] = useParam('by')
  const [range, setRange] = useParam('days')
  const group = (by || 'day') as (typeof GROUPS)[number][0]
  const days = Number(range || 30)
  const since = `${lastDays([], days, () => 0)[0]?.day}T00:00:00.000Z`
  const input = { by: group, since }
  const total = useQuery({ ...spentSince(since), placeholderData: before => before })
  useCode('getUsageSummary', 'GET', '/v1/billing/usage/summary', input)
  const save = useChange({
    run: async () => (await stoa.getUsageSummaryCsv(input)).text(),
    changes: [],
    onDone: text => download(`usage-by-${group}.csv`, text),
  })
  return (
    <List
      title="Usage"
      heading="Billing"
      within={WITHIN}
      about="What was used and charged, by UTC day."
      actions={
        <BusyButton isBusy={save.isPending} onClick={() => save.mutate()}>
          Download CSV
        </BusyButton>
      }
      top={
        <>
          <BillingTabs />
          <div className="section btop">
            <div className="tiles bthree">
              <Tile label={`Spent, ${days} days`}>{total.data && <Money cents={total.data.amount} />}</Tile>
              <Tile label="Paid calls">{total.data?.count.toLocaleString()}</Tile>
              <Tile label="One call, on average">
                {total.data && (total.data.count ? <Money cents={total.data.amount / total.data.count} /> : '—')}
              </Tile>
            </div>
            <Spending days={lastDays(total.data?.data ?? [], days, ({ amount }) => amount)} />
          </div>
        </>
      }
      filters={
        <>
          <Segments
            label="Group by"
            options={GROUPS}
            chosen={group}
            onChoose={one => setBy(one === 'day' ? '' : one)}
          />
          <Segments label="Range" options={RANGES} chosen={range as ''} onChoose={setRange} />
        </>
      }
      noun={[group, `${group}s`]}
      query={{
        ...pages(['usage', group, since], (after, options) => stoa.getUsageSummary({ ...input, ...after }, options)),
        placeholderData: before => before,
      }}
      idOf={one => `${one.day ?? ''} ${one.key ?? ''} ${one.model ?? ''} ${one.project ?? ''}`}
      columns={[NAME[group], COUNT, shareOf(total.data?.amount ?? 0), AMOUNT]}
      empty={{ icon: 'card', title: 'No usage in this range', says: 'Paid model calls are listed here when they end.' }}
    />
  )
}

function Spending({ days }: { days: { day: string; value: number }[] }) {
  const { data } = useQuery(balance)
  return (
    <BarChart
      className="bchart"
      label="Spending by day"
      series={[{ name: 'Spent', tone: 's1' }]}
      points={days.map(({ day, value }) => ({ at: day, values: [value] }))}
      timeText={at => short.format(new Date(at))}
      says={cents => (data ? moneyText(cents, data.currency) : '')}
      least={100}
    />
  )
}

const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

const NAME: Record<(typeof GROUPS)[number][0], Column<Group>> = {
  day: { head: 'Day', className: 'p1', cell: group => day.format(new Date(`${group.day}T00:00:00Z`)) },
  key: { head: 'Key', className: 'p1', cell: ({ key }) => <KeyName id={key} none="Console and people" /> },
  model: { head: 'Model', className: 'p1', cell: ({ model }) => model ?? <span className="muted">No model</span> },
  project: {
    head: 'Project',
    className: 'p1',
    cell: ({ project }) => project ?? <span className="muted">No project</span>,
  },
}
const COUNT: Column<Group> = {
  head: 'Paid calls',
  className: 'r p3 bcount',
  cell: ({ count }) => (
    <>
      {count.toLocaleString()}
      <span className="phone-only"> paid calls</span>
    </>
  ),
}
const AMOUNT: Column<Group> = { head: 'Cost', className: 'r p2', cell: ({ amount }) => <Money cents={amount} /> }

const shareOf = (total: number): Column<Group> => ({
  head: 'Share',
  className: 'p4 fill',
  cell: ({ amount }) => {
    const share = total > 0 ? (100 * amount) / total : 0
    return (
      <span className="line">
        <span className="meter" style={{ '--v': `${share}%` } as React.CSSProperties} />
        <span className="muted">{`${share.toFixed(share < 10 ? 1 : 0)}%`}</span>
      </span>
    )
  },
})
