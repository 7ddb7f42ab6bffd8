import './errors.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { CapturedError } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Failed } from '../../frame/problems.tsx'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { useIsWide } from '../../frame/width.ts'
import { Icon } from '../../parts/icon.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Time } from '../../parts/time.tsx'
import { Bars } from './bars.tsx'
import { ErrorPane } from './details.tsx'
import { FirstError } from './first.tsx'
import { type Group, groupsOf, histogram, messageOf, placeOf, typeOf } from './groups.ts'

/** The most that the host lists. There is no further page. */
const READ_MAX = 200
const REFRESH_MS = 10_000

const KINDS = [
  ['all', 'All'],
  ['unhandled', 'Unhandled'],
] as const

export function Errors() {
  const [find] = useParam('find')
  const [kind] = useParam('kind')
  const [open, setOpen] = useParam('open')
  const isWide = useIsWide()
  useCode('listErrors', 'GET', '/v1/errors', { limit: READ_MAX })
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['errors'],
    queryFn: ({ signal }) => stoa.listErrors({ limit: READ_MAX }, { signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const { read, waiting, showAll } = useShown(data?.data)
  const wanted = find.trim().toLowerCase()
  const shown = groupsOf(read).filter(
    ({ errors: [newest] }) =>
      (kind !== 'unhandled' || newest.exception.handled === false) &&
      `${typeOf(newest)} ${messageOf(newest)} ${placeOf(newest)}`.toLowerCase().includes(wanted),
  )
  if (error && !data) {
    return (
      <Sheet title="Errors">
        <Failed error={error} reset={() => void refetch()} />
      </Sheet>
    )
  }
  if (data && read.length === 0) {
    return (
      <Sheet title="Errors">
        <Head says="Exceptions of your pages and servers, grouped by their cause." />
        <FirstError />
      </Sheet>
    )
  }
  const at = shown.findIndex(one => one.fingerprint === open)
  const chosen = shown[at] ?? (isWide && !open ? shown[0] : undefined)
  const stepTo = (n: number) => {
    const to = shown[n]?.fingerprint
    return to === undefined ? null : () => setOpen(to, true)
  }
  const now = shown.indexOf(chosen as Group)
  const steps = { onClose: () => setOpen(''), onNext: stepTo(now + 1), onPrevious: stepTo(now - 1) }
  const times = read.map(({ timestamp }) => Date.parse(timestamp))
  const range = [Math.min(...times), Math.max(...times)] as const
  return (
    <Sheet
      title="Errors"
      pane={
        chosen ? (
          <ErrorPane key={chosen.fingerprint} of={chosen} read={read.length} takesFocus={open !== ''} {...steps} />
        ) : null
      }
    >
      <div className="elist">
        <Head
          says={
            isPending
              ? ''
              : `The newest ${read.length.toLocaleString()} errors, in ${shown.length} ${shown.length === 1 ? 'group' : 'groups'}`
          }
        />
        <Filters />
        {waiting > 0 && (
          <button type="button" className="newer" aria-live="polite" onClick={showAll}>
            {`Show ${waiting.toLocaleString()} new`}
          </button>
        )}
        <ul className="egroups">
          {shown.map(group => (
            <li key={group.fingerprint}>
              <Row of={group} {...{ range }} isOpen={group === chosen} onOpen={() => setOpen(group.fingerprint)} />
            </li>
          ))}
        </ul>
        {data && shown.length === 0 && <NoMatch />}
      </div>
    </Sheet>
  )
}

function Filters() {
  const [find, setFind] = useParam('find')
  const [kind, setKind] = useParam('kind')
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
      <Segments
        label="Kind"
        options={KINDS}
        chosen={kind === 'unhandled' ? 'unhandled' : 'all'}
        onChoose={one => setKind(one === 'all' ? '' : one)}
      />
    </div>
  )
}

function NoMatch() {
  const [find, setFind] = useParam('find')
  const [, setKind] = useParam('kind')
  const clear = () => {
    setFind('', true)
    setKind('', true)
  }
  return (
    <div className="empty">
      <h2>No error matches</h2>
      <p>{find.trim() ? `No message has “${find.trim()}”.` : 'The program caught all errors.'}</p>
      <button type="button" className="btn" onClick={clear}>
        Clear filters
      </button>
    </div>
  )
}

/** Errors that arrive later wait, so that no row moves under the pointer; the first ones do not. */
function useShown(newest: CapturedError[] | undefined) {
  const [shown, setShown] = useState<CapturedError[]>([])
  const read = shown.length > 0 ? shown : (newest ?? [])
  useEffect(() => setShown(now => (now.length > 0 ? now : (newest ?? []))), [newest])
  const ids = new Set(read.map(({ id }) => id))
  const waiting = newest?.filter(({ id }) => !ids.has(id)).length ?? 0
  return { read, waiting, showAll: () => setShown(newest ?? []) }
}

const Head = ({ says }: { says: string }) => (
  <header className="head inline">
    <div className="grow">
      <h1>Errors</h1>
      <p>{says}</p>
    </div>
  </header>
)

const SPARK_PARTS = 20

type RowProps = { of: Group; range: readonly [from: number, to: number]; isOpen: boolean; onOpen: () => void }

function Row({ of: { errors }, range: [from, to], isOpen, onOpen }: RowProps) {
  const [newest] = errors
  return (
    <button type="button" className="egroup" aria-current={isOpen || undefined} onClick={onOpen}>
      <span className="grow">
        <span className="line">
          <span className="strong">{typeOf(newest)}</span>
          {newest.exception.handled === false && (
            <span className="badge" data-tone="danger">
              Unhandled
            </span>
          )}
        </span>
        <span className="m cut">{messageOf(newest)}</span>
        <span className="w cut">{[placeOf(newest), newest.release].filter(Boolean).join(' · ')}</span>
      </span>
      <span className="fig">
        <Bars className="spark so" counts={histogram(errors, from, to, SPARK_PARTS)} />
        <span className="num">
          <b>{errors.length.toLocaleString()}</b>{' '}
          <span className="muted">
            <Time at={newest.timestamp} />
          </span>
        </span>
      </span>
    </button>
  )
}
