import './audit.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { AuditEntry, ListAuditInput } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Filter } from '../../parts/filter.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { EntryDetails, Who } from './entry.tsx'
import { ACTIONS, actionText, subjectOf } from './words.ts'

const HOUR_MS = 3_600_000
const PERIODS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS }
const SINCE = [
  ['', 'Any time'],
  ['hour', 'The last hour'],
  ['day', 'The last 24 hours'],
  ['week', 'The last 7 days'],
  ['month', 'The last 30 days'],
] as const

const team = {
  queryKey: ['members', 'team'],
  queryFn: () => stoa.listMembers({ limit: 200 }),
}

export function Audit() {
  const [user, setUser] = useParam('user')
  const [what, setWhat] = useParam('what')
  const [since, setSince] = useParam('since')
  const { data: members } = useQuery(team)
  const filter = () => filterOf({ user, what, since })
  useCode('listAudit', 'GET', '/v1/iam/audit', filter())
  const clear = () => {
    setUser('')
    setWhat('')
    setSince('')
  }
  return (
    <List
      title="Audit trail"
      about="Who changed what, when and from where. Nobody can change or delete an entry."
      noun={['entry', 'entries']}
      query={{
        ...pages(['audit', user, what, since], (after, options) => stoa.listAudit({ ...filter(), ...after }, options)),
        placeholderData: keepPreviousData,
      }}
      idOf={({ id }) => id}
      columns={COLUMNS}
      filters={
        <>
          <Filter
            label="Person"
            options={withChosen(user, members?.data.map(one => [one.user, one.email]) ?? [], 'Everyone')}
            chosen={user}
            onChoose={setUser}
          />
          <Filter
            label="Action"
            options={withChosen(what, Object.entries(ACTIONS).sort(byText), 'All')}
            chosen={what}
            onChoose={setWhat}
          />
          <Filter label="Since" options={SINCE} chosen={since} onChoose={setSince} />
        </>
      }
      isFiltered={user !== '' || what !== '' || since !== ''}
      onClear={clear}
      details={(entry, steps) => <EntryDetails of={entry} onUser={setUser} onWhat={setWhat} {...steps} />}
      empty={{
        icon: 'audit',
        title: 'No entry yet',
        says: 'What people and keys change in this organisation is listed here.',
      }}
    />
  )
}

/** A period begins at a full minute, so that the same call is made for a while. */
function filterOf({ user, what, since }: { user: string; what: string; since: string }): ListAuditInput {
  const period = PERIODS[since as keyof typeof PERIODS]
  const start = period && new Date(Math.floor((Date.now() - period) / 60_000) * 60_000).toISOString()
  return { ...(user && { user }), ...(what && { what }), ...(start && { since: start }) }
}

type Options = (readonly [value: string, text: string])[]

/** What the address names is a choice, even if it is unknown here. */
const withChosen = (chosen: string, options: Options, none: string): Options => [
  ['', none],
  ...options,
  ...(chosen === '' || options.some(([value]) => value === chosen) ? [] : [[chosen, actionText(chosen)] as const]),
]

const byText = ([, a]: readonly [string, string], [, b]: readonly [string, string]) => a.localeCompare(b)

const COLUMNS: Column<AuditEntry>[] = [
  { head: 'Action', className: 'p1', cell: ({ what }) => actionText(what) },
  { head: 'On', className: 'p3 fill', cell: entry => subjectOf(entry) },
  { head: 'By', className: 'who', cell: entry => <Who of={entry} /> },
  { head: 'From', className: 'low', cell: ({ ip }) => ip || <span className="zero">—</span> },
  { head: 'When', className: 'r p2', cell: ({ at }) => <Time at={at} /> },
]
