import './keys.css'
import { keepPreviousData } from '@tanstack/react-query'
import type { Key } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Id } from '../../parts/copy.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Status, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { CreateKey } from './create.tsx'
import { KeyDetails } from './details.tsx'
import { READ_ONLY } from './reach.ts'

const STATUSES = [
  ['active', 'Active'],
  ['expired', 'Expired'],
  ['revoked', 'Revoked'],
  ['all', 'All'],
] as const

export function Keys() {
  const [status, setStatus] = useParam('status')
  const chosen = (status || 'active') as (typeof STATUSES)[number][0]
  const filter = chosen === 'all' ? {} : { status: chosen }
  useCode('listKeys', 'GET', '/v1/account/keys', filter)
  return (
    <List
      title="API keys"
      about="One key works for every service. A key can be limited to what it needs."
      noun={['key', 'keys']}
      query={{
        ...pages(['keys', chosen], (after, options) => stoa.listKeys({ ...filter, ...after }, options)),
        placeholderData: keepPreviousData,
      }}
      idOf={({ id }) => id}
      isOff={key => key.status !== 'active'}
      columns={COLUMNS}
      filters={
        <Segments
          label="Status"
          options={STATUSES}
          chosen={chosen}
          onChoose={one => setStatus(one === 'active' ? '' : one)}
        />
      }
      isFiltered={chosen === 'expired' || chosen === 'revoked'}
      onClear={() => setStatus('all')}
      create="Create key"
      creation={onClose => <CreateKey onClose={onClose} />}
      details={(key, steps) => <KeyDetails of={key} {...steps} />}
      empty={{ icon: 'key', title: 'No active key', says: 'A key lets your servers and scripts call this host.' }}
    />
  )
}

const COLUMNS: Column<Key>[] = [
  { head: 'Name', className: 'p1', cell: ({ name }) => name },
  {
    head: 'Key',
    className: 'p3',
    cell: ({ key, prefix }) => (key ? <Id text={key} shown={`${prefix}…`} /> : <span className="id">{prefix}…</span>),
  },
  { head: 'Type', className: 'low', cell: ({ type }) => (type === 'secret' ? 'Secret' : 'Publishable') },
  { head: 'Status', className: 'p4', cell: key => <KeyStatus of={key} /> },
  { head: 'Limits', className: 'low fill', cell: key => <Limits of={key} /> },
  {
    head: 'Spent this month',
    className: 'r p2',
    cell: key => (key.type === 'secret' ? <Spend of={key} /> : <span className="zero">—</span>),
  },
  { head: 'Last used', className: 'r', cell: ({ lastUsed }) => <Time at={lastUsed} none="never" /> },
]

const STATES: Record<Key['status'], [Tone, string]> = {
  active: ['success', 'Active'],
  expired: ['off', 'Expired'],
  revoked: ['off', 'Revoked'],
}

export const KeyStatus = ({ of: { status } }: { of: Key }) => (
  <Status tone={STATES[status][0]}>{STATES[status][1]}</Status>
)

export const Limits = ({ of: { limit = [], rate } }: { of: Key }) =>
  limit.length === 0 && rate === undefined ? (
    <span className="muted">Everything its owner may do</span>
  ) : (
    <span className="line lims">
      {limit.map(entry =>
        entry === READ_ONLY ? (
          <span key={entry}>Read only</span>
        ) : (
          <span key={entry} className="code">
            {entry}
          </span>
        ),
      )}
      {rate !== undefined && <span>{rate.toLocaleString()} requests a minute</span>}
    </span>
  )

/** From this share of its budget a key is about to stop. */
const NEAR = 0.8

const Spend = ({ of: { spendMonth, budget } }: { of: Key }) => {
  const cap = budget?.month || 0
  if (cap === 0) return <Money cents={spendMonth} />
  const share = Math.min(1, spendMonth / cap)
  const width = { '--v': `${100 * share}%` } as React.CSSProperties
  return (
    <span className="spend">
      <span>
        <Money cents={spendMonth} />
        <span className="muted">
          {' / '}
          <Money cents={cap} />
        </span>
      </span>
      <span className="meter" data-tone={share >= NEAR ? 'warn' : undefined} style={width} />
    </span>
  )
}
