import './risk.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReferenceSet } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { ageText, isHeld, RiskTabs, SetStatus, sets } from './queries.tsx'
import { SetDetails } from './set.tsx'

export function Sets() {
  useCode('listReference', 'GET', '/v1/risk/reference', {})
  return (
    <List
      title="Risk"
      about="Published lists that you can check addresses, domains and devices against, and your own exceptions to them."
      top={
        <>
          <RiskTabs />
          <Trouble />
        </>
      }
      noun={['set', 'sets']}
      query={pages(['risk', 'list'], async (_, options) => {
        const { sets } = await stoa.listReference({}, options)
        return { data: sets, next: '' }
      })}
      idOf={({ set }) => set}
      isOff={set => !isHeld(set)}
      columns={COLUMNS}
      details={(set, steps) => <SetDetails key={set.set} of={set} {...steps} />}
      empty={{ icon: 'shield', title: 'No set', says: 'This host has no reference sets.' }}
    />
  )
}

const NONE = <span className="zero">—</span>

const COLUMNS: Column<ReferenceSet>[] = [
  { head: 'Set', className: 'p1', cell: ({ set }) => set },
  { head: 'Contents', className: 'p3 low fill', cell: ({ what }) => what },
  { head: 'Status', className: 'p4', cell: set => <SetStatus of={set} /> },
  { head: 'Members', className: 'r p2', cell: set => (isHeld(set) ? set.keys.toLocaleString() : NONE) },
  { head: 'Age', className: 'r', cell: set => (set.age && set.kind === 'fetch' ? ageText(set.age) : NONE) },
  { head: 'Overrides', className: 'r', cell: set => <OverridesLink of={set} /> },
]

const OverridesLink = ({ of: { set, overrides } }: { of: ReferenceSet }) => {
  const { data } = useQuery(me)
  return (
    <Link
      to="/o/$org/$"
      params={{ org: data?.org ?? '', _splat: `risk/${set}` }}
      aria-label={`${overrides.toLocaleString()} overrides on ${set}`}
      onClick={event => event.stopPropagation()} // The row would open.
    >
      {overrides.toLocaleString()}
    </Link>
  )
}

/** What is refused or stale although the host should have it. */
function Trouble() {
  const { data } = useQuery(sets)
  const held = data?.sets.filter(isHeld) ?? []
  const refused = held.filter(({ refusal }) => refusal).map(({ set }) => set)
  const stale = held.filter(one => one.stale && !one.refusal).map(({ set }) => set)
  if (refused.length === 0 && stale.length === 0) return null
  return (
    <div className="section rtop">
      {refused.length > 0 && (
        <div className="callout" data-tone="danger">
          <Icon name="alert" />
          <div>
            <b>{`${refused.join(', ')} cannot be consulted.`}</b> A key that is checked there is unknown, not clean.
            Open the set to see why.
          </div>
        </div>
      )}
      {stale.length > 0 && (
        <div className="callout" data-tone="warn">
          <Icon name="clock" />
          <div>
            <b>{`${stale.join(', ')} ${stale.length === 1 ? 'is' : 'are'} older than allowed.`}</b> It still answers,
            from the last import.
          </div>
        </div>
      )}
    </div>
  )
}
