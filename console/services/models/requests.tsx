import './models.css'
import { useQuery } from '@tanstack/react-query'
import type { ModelRequest } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Clock, durationText } from '../../parts/clock.tsx'
import { KeyName } from '../../parts/key-name.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { lastDays, Spark } from '../../parts/spark.tsx'
import { ModelTabs } from './queries.tsx'
import { RequestDetails } from './request.tsx'

/** The most that the host returns at once; the figures of time and failures are of these. */
const NEWEST = 200
const DAYS = 30

export function Requests() {
  useCode('listModelRequests', 'GET', '/v1/ai/requests', {})
  return (
    <List
      title="Models"
      about="Every model call of the organisation. Inputs and answers are not stored."
      top={
        <>
          <ModelTabs />
          <Figures />
        </>
      }
      noun={['request', 'requests']}
      query={pages(['model-requests'], (after, options) => stoa.listModelRequests(after, options))}
      idOf={({ id }) => id}
      columns={COLUMNS}
      isDense
      details={(request, steps) => <RequestDetails of={request} {...steps} />}
      empty={{
        icon: 'chip',
        title: 'No model call yet',
        says: 'Try a model in the playground, or call one with a key: the address is compatible with the SDKs of OpenAI.',
      }}
    />
  )
}

const COLUMNS: Column<ModelRequest>[] = [
  { head: 'Time', className: 'p4', cell: request => <Outcome of={request} /> },
  { head: 'Model', className: 'p1 fill', cell: request => <ModelOf of={request} /> },
  { head: 'Key', className: 'p3 cut low', cell: ({ key }) => <KeyName id={key} /> },
  { head: 'Tokens', className: 'r', cell: request => <Tokens of={request} /> },
  {
    head: 'First',
    className: 'r low',
    cell: ({ firstTokenMs: ms }) => (ms === undefined ? <span className="zero">—</span> : durationText(ms)),
  },
  { head: 'Total', className: 'r low', cell: ({ totalMs }) => durationText(totalMs) },
  {
    head: 'Cost',
    className: 'r p2',
    cell: ({ cost }) => (cost === undefined ? <span className="zero">—</span> : <Money cents={cost} />),
  },
]

/** A fallback answered: nothing failed, but someone may want to know. */
export const isFallback = ({ attempts, error }: ModelRequest) => !error && attempts > 1

const Outcome = ({ of }: { of: ModelRequest }) => {
  const tone = of.error ? 'danger' : isFallback(of) ? 'warn' : 'success'
  return (
    <span className="status" data-tone={tone}>
      <span className="muted">
        <Clock at={of.created} />
      </span>
      <span className="vh">{of.error ? 'Failed' : isFallback(of) ? 'Another model answered' : 'Answered'}</span>
    </span>
  )
}

const ModelOf = ({ of: { model, answeredModel, error } }: { of: ModelRequest }) => (
  <>
    <span className="main">{model}</span>
    {answeredModel && <span className="muted">{` → ${answeredModel}`}</span>}
    {error && <span className="err">{` ${error}`}</span>}
  </>
)

export const Tokens = ({ of: { inputTokens, outputTokens } }: { of: ModelRequest }) =>
  inputTokens + outputTokens === 0 ? (
    <span className="zero">—</span>
  ) : (
    <>
      {inputTokens.toLocaleString()} <span className="muted">→</span> {outputTokens.toLocaleString()}
    </>
  )

function Figures() {
  const since = lastDays([], DAYS, () => 0)[0]?.day
  const usage = useQuery({
    queryKey: ['usage', 'models', since],
    queryFn: ({ signal }) =>
      stoa.getUsageSummary({ by: 'day', since: `${since}T00:00:00Z`, limit: NEWEST }, { signal }),
  })
  const newest = useQuery({
    queryKey: ['model-requests', 'newest'],
    queryFn: ({ signal }) => stoa.listModelRequests({ limit: NEWEST }, { signal }),
  })
  const days = usage.data?.data ?? []
  const requests = newest.data?.data ?? []
  const firsts = requests.flatMap(({ firstTokenMs }) => firstTokenMs ?? []).reverse()
  const failed = requests.filter(({ error }) => error).length
  const ofNewest = <small>{`of ${requests.length.toLocaleString()}`}</small>
  return (
    <div className="section mtop">
      <div className="tiles">
        <Tile label={`Paid calls, ${DAYS} days`} values={lastDays(days, DAYS, ({ count }) => count)}>
          {usage.data?.count.toLocaleString()}
        </Tile>
        <Tile label={`Spend, ${DAYS} days`} values={lastDays(days, DAYS, ({ amount }) => amount)}>
          {usage.data && <Money cents={usage.data.amount} />}
        </Tile>
        <Tile label="First token p95">
          {firsts.length > 0 ? durationText(p95(firsts)) : '—'} {ofNewest}
        </Tile>
        <Tile label="Failed">
          {requests.length > 0 ? `${((100 * failed) / requests.length).toFixed(1)}%` : '—'} {ofNewest}
        </Tile>
      </div>
    </div>
  )
}

type TileProps = { label: string; values?: { value: number }[]; children: React.ReactNode }

const Tile = ({ label, values, children }: TileProps) => (
  <div className="tile">
    <span className="label">{label}</span>
    <span className="figure">{children}</span>
    {values && <Spark values={values.map(({ value }) => value)} />}
  </div>
)

function p95(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
}
