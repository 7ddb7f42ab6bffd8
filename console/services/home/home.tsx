import './home.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { me } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Sheet } from '../../frame/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { Attention } from './attention.tsx'
import { Figures, RangeChoice, RequestChart, useRange } from './figures.tsx'
import { FirstSteps, useFirstSteps } from './first-steps.tsx'
import { errors } from './queries.ts'

export function Home() {
  const { data: person } = useQuery(me)
  const steps = useFirstSteps()
  const [isHidden, hide] = useHidden(person?.org ?? '')
  const [range] = useRange()
  useCode('getRequests', 'GET', '/v1/o11y/requests', { range })
  if (!person || !steps) return <Sheet title="Home">{null}</Sheet>
  const isNew = !isHidden && steps.some(({ isDone }) => !isDone)
  const name = person.orgs.find(one => one.org === person.org)?.name ?? person.org
  return (
    <Sheet title="Home">
      {isNew ? (
        <FirstSteps name={name} steps={steps} onHide={hide} />
      ) : (
        <>
          <header className="head">
            <div className="grow">
              <h1>Home</h1>
            </div>
            <RangeChoice />
          </header>
          <Figures />
        </>
      )}
      <Attention org={person.org} quiet={isNew} />
      {!isNew && <RequestChart />}
      <NewestErrors org={person.org} />
    </Sheet>
  )
}

/** Whether this browser shows the first steps no more. It may refuse to store that; then they are hidden until the next load. */
function useHidden(org: string): [boolean, () => void] {
  const name = `stoa-first-steps-${org}`
  const [isHidden, setHidden] = useState(() => orNull(() => localStorage.getItem(name)) === 'hidden')
  const hide = () => {
    setHidden(true)
    orNull(() => localStorage.setItem(name, 'hidden'))
  }
  return [isHidden, hide]
}

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null // Storage is turned off, or full.
  }
}

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
