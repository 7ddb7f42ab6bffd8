// Visitors of the organisation's pages: figures of a time, one of them as a chart, and where the visitors come from.
import './analytics.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Overview } from '../../../client/stoa.js'
import { useCode } from '../../frame/code.tsx'
import { isTyping } from '../../frame/keys.ts'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { Conditions } from '../../parts/conditions.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Lens, useLens } from '../../parts/lens.ts'
import { isCovered } from '../../parts/list-open.ts'
import { Problem } from '../../parts/problem.tsx'
import { RangeMenu } from '../../parts/range.tsx'
import { Unloaded } from '../../parts/unloaded.tsx'
import { betweenText, timeBefore } from '../../parts/zone.ts'
import { Course } from './course.tsx'
import { Panels } from './panels.tsx'
import { FIGURES, type Figure, firstEvent, overviewOf } from './queries.ts'
import { Tiles } from './tiles.tsx'

export function Analytics() {
  const lens = useLens('30d')
  const [figureId, setFigure] = useParam('figure')
  const [sent, setCompare] = useParam('compare')
  const compare = sent !== 'false'
  const chosen = FIGURES.find(({ id }) => id === figureId) ?? (FIGURES[0] as Figure)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(overviewOf(lens.input, compare))
  useCode('getEventOverview', 'GET', '/v1/event/overview', { ...lens.input, compare })
  useReset(lens)
  const isNothing = data !== undefined && !isPlaceholderData && data.events === 0 && !data.previous?.events
  return (
    <Sheet title="Analytics">
      <header className="head">
        <div className="grow">
          <h1>Analytics</h1>
        </div>
        <div className="actions">
          <RangeMenu lens={lens} shown={data?.range} />
          <button
            type="button"
            className="btn s"
            aria-pressed={compare}
            onClick={() => setCompare(compare ? 'false' : '')}
          >
            <Icon name="repeat" />
            Compare
          </button>
        </div>
      </header>
      <div className="filters">
        <Conditions lens={lens} />
        {data && <span className="lenssays">{timesText(data)}</span>}
      </div>
      {error && !data ? (
        <Unloaded what="The figures" error={error} isBusy={isFetching} onRetry={() => void refetch()} />
      ) : isNothing ? (
        <Nothing lens={lens} />
      ) : (
        <>
          <section className="section" data-dim={isPlaceholderData || undefined}>
            {error && <Problem error={error} />}
            <div className="card overview">
              <Tiles of={data} chosen={chosen} onChoose={({ id }) => setFigure(id === FIGURES[0]?.id ? '' : id)} />
              <Course lens={lens} figure={chosen} compare={compare} />
            </div>
          </section>
          <Panels lens={lens} />
        </>
      )}
    </Sheet>
  )
}

const timesText = ({ range, previous }: Overview) =>
  [previous && `Compared with ${betweenText(timeBefore(range))}`, `Time zone: ${range.zone}`]
    .filter(Boolean)
    .join(' · ')

/** Esc goes back from a time that was chosen on the chart. */
function useReset({ isBetween, reset }: Lens): void {
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key === 'Escape' && isBetween && !isTyping(target) && !isCovered()) reset()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

function Nothing({ lens }: { lens: Lens }) {
  const { org } = useParams({ strict: false }) as { org: string }
  const { data } = useQuery(firstEvent)
  if (!data) return null
  if (data.data.length === 0) {
    return (
      <div className="empty">
        <span className="glyph">
          <Icon name="chart" />
        </span>
        <h2>No visitor yet</h2>
        <p>Send page views from your pages. The figures appear here by themselves within seconds.</p>
        <Link to="/o/$org/$" params={{ org, _splat: 'events/sending' }} className="btn">
          Send events
        </Link>
      </div>
    )
  }
  const isFiltered = lens.where.length > 0
  return (
    <div className="empty">
      <h2>{isFiltered ? 'No event matches' : 'No event in this time'}</h2>
      <p>{isFiltered ? 'The filters leave out everything in this time.' : 'There are events at other times.'}</p>
      <button type="button" className="btn" onClick={() => (isFiltered ? lens.setWhere([]) : lens.choose('all'))}>
        {isFiltered ? 'Clear filters' : 'Show all time'}
      </button>
    </div>
  )
}
