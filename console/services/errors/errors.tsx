import './errors.css'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { ErrorGroup, ErrorGroups } from '../../../client/stoa.js'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { useIsWide } from '../../frame/width.ts'
import { Conditions } from '../../parts/conditions.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Lens, useLens } from '../../parts/lens.ts'
import { Problem } from '../../parts/problem.tsx'
import { RangeMenu } from '../../parts/range.tsx'
import { Unloaded } from '../../parts/unloaded.tsx'
import { ErrorPane } from './details.tsx'
import { FirstError } from './first.tsx'
import { errorGroups, everErrors, messageOf, typeOf } from './queries.ts'
import { ErrorRow } from './row.tsx'

export function Errors() {
  const lens = useLens('24h')
  const [find] = useParam('find')
  const [open, setOpen] = useParam('open')
  const isWide = useIsWide()
  useCode('listErrorGroups', 'GET', '/v1/event/errors', lens.input)
  const result = useInfiniteQuery(errorGroups(lens.input))
  const { data, error, hasNextPage, isPlaceholderData } = result
  const ever = useQuery(everErrors)
  const { groups, waiting, showAll } = useShown(data?.pages, JSON.stringify([lens.input, isPlaceholderData]))
  const wanted = find.trim().toLowerCase()
  const shown = groups.filter(one => `${typeOf(one)} ${messageOf(one)}`.toLowerCase().includes(wanted))
  const first = data?.pages[0] as ErrorGroups | undefined
  if (data && groups.length === 0 && lens.where.length === 0 && ever.data === false) {
    return (
      <Sheet title="Errors">
        <Head lens={lens} of={undefined} says="Exceptions of your pages and servers, grouped by their cause." />
        <FirstError />
      </Sheet>
    )
  }
  const chosen = shown.find(one => one.fingerprint === open) ?? (isWide && !open ? shown[0] : undefined)
  const stepTo = (n: number) => {
    const to = shown[n]?.fingerprint
    return to === undefined ? null : () => setOpen(to, true)
  }
  const now = chosen ? shown.indexOf(chosen) : -1
  const steps = { onClose: () => setOpen(''), onNext: stepTo(now + 1), onPrevious: stepTo(now - 1) }
  const pane = chosen && first && (
    <ErrorPane key={chosen.fingerprint} of={chosen} read={first} takesFocus={open !== ''} {...steps} />
  )
  return (
    <Sheet title="Errors" pane={pane ?? null}>
      <div className="elist">
        <Head lens={lens} of={first} says={first ? saysOf(groups, hasNextPage) : ''} />
        <Filters lens={lens} />
        {waiting > 0 && (
          <button type="button" className="newer" aria-live="polite" onClick={showAll}>
            {`Show ${waiting.toLocaleString()} new`}
          </button>
        )}
        {error && data && <Problem error={error} />}
        {error && !data && (
          <Unloaded what="The errors" error={error} isBusy={result.isFetching} onRetry={() => void result.refetch()} />
        )}
        {open && data && !chosen && !isPlaceholderData && <NotHere onClose={() => setOpen('')} />}
        <ul className="egroups" data-dim={isPlaceholderData || undefined}>
          {shown.map(group => (
            <li key={group.fingerprint}>
              <ErrorRow of={group} isOpen={group === chosen} onOpen={() => setOpen(group.fingerprint)} />
            </li>
          ))}
        </ul>
        {data && shown.length === 0 && <NoMatch lens={lens} isPartly={hasNextPage} />}
        {hasNextPage && (
          <div className="paging">
            <button
              type="button"
              className="btn s"
              aria-busy={result.isFetchingNextPage}
              onClick={() => void result.fetchNextPage()}
            >
              Show more
            </button>
          </div>
        )}
      </div>
    </Sheet>
  )
}

function saysOf(groups: ErrorGroup[], hasMore: boolean): string {
  const times = groups.reduce((all, { count }) => all + count, 0)
  const of = `${groups.length.toLocaleString()} ${groups.length === 1 ? 'group' : 'groups'}`
  return `${hasMore ? 'The newest ' : ''}${of}, ${times.toLocaleString()} ${times === 1 ? 'error' : 'errors'}`
}

type HeadProps = { lens: Lens; of: ErrorGroups | undefined; says: string }

const Head = ({ lens, of, says }: HeadProps) => (
  <header className="head inline">
    <div className="grow">
      <h1>Errors</h1>
      <p>{says}</p>
    </div>
    <div className="actions">
      <RangeMenu lens={lens} shown={of?.range} />
    </div>
  </header>
)

function Filters({ lens }: { lens: Lens }) {
  const [find, setFind] = useParam('find')
  return (
    <div className="filters">
      <span className="find">
        <Icon name="search" small />
        <input
          type="search"
          placeholder="Find in messages"
          aria-label="Find errors"
          value={find}
          onChange={event => setFind(event.target.value, true)}
        />
      </span>
      <Conditions lens={lens} />
    </div>
  )
}

function NoMatch({ lens, isPartly }: { lens: Lens; isPartly: boolean }) {
  const [find, setFind] = useParam('find')
  const wanted = find.trim()
  if (wanted) {
    return (
      <div className="empty">
        <h2>No error matches</h2>
        <p>{`${isPartly ? 'Of the groups that are loaded, no' : 'No'} message has “${wanted}”.`}</p>
        <button type="button" className="btn" onClick={() => setFind('', true)}>
          Clear search
        </button>
      </div>
    )
  }
  const isFiltered = lens.where.length > 0
  return (
    <div className="empty">
      <h2>{isFiltered ? 'No error matches' : 'No error in this time'}</h2>
      <p>{isFiltered ? 'The filters leave out everything in this time.' : 'There are errors at other times.'}</p>
      <button type="button" className="btn" onClick={() => (isFiltered ? lens.setWhere([]) : lens.choose('all'))}>
        {isFiltered ? 'Clear filters' : 'Show all time'}
      </button>
    </div>
  )
}

const NotHere = ({ onClose }: { onClose: () => void }) => (
  <div className="section">
    <div className="callout" role="status">
      <Icon name="info" />
      <span>
        The group of this address is not in the list: it has no error in this time, or the filters leave it out.
      </span>
      <button type="button" className="btn s" onClick={onClose}>
        Close
      </button>
    </div>
  </div>
)

type Shown = { of: string; pages: number; groups: ErrorGroup[] }

/** What happens later waits, so that no row moves under the pointer; the first errors do not. */
function useShown(read: readonly { data: ErrorGroup[] }[] | undefined, of: string) {
  const newest = useMemo(() => read?.flatMap(({ data }) => data) ?? [], [read])
  const [kept, setKept] = useState<Shown | null>(null)
  const pages = read?.length ?? 0
  const isKept = kept !== null && kept.of === of && kept.pages === pages && kept.groups.length > 0
  useEffect(() => {
    if (!isKept) setKept({ of, pages, groups: newest })
  }, [isKept, of, pages, newest])
  const groups = isKept ? kept.groups : newest
  const counts = new Map(groups.map(({ fingerprint, count }) => [fingerprint, count]))
  const waiting = newest.reduce(
    (all, { fingerprint, count }) => all + Math.max(0, count - (counts.get(fingerprint) ?? 0)),
    0,
  )
  return { groups, waiting, showAll: () => setKept({ of, pages, groups: newest }) }
}
