// What an operator should act on, in words; one quiet line if there is nothing.
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { Consumer, Engine, Queue } from '../../../client/stoa.js'
import { Icon } from '../../parts/icon.tsx'
import { Time } from '../../parts/time.tsx'

type Trouble = { id: string; tone: 'danger' | 'warn'; says: ReactNode }

/** What works is behind for seconds. */
const LATE_MS = 60_000
/** From this share of its connections the database may soon refuse some. */
const NEAR = 0.9

const isLate = (since: string | undefined) => since !== undefined && Date.now() - Date.parse(since) > LATE_MS

type Props = { engines: Engine[] | undefined; consumers: Consumer[] | undefined; queues: Queue[] | undefined }

export function Troubles({ engines, consumers, queues }: Props) {
  if (!engines || !consumers || !queues) return null
  const all = [...engines.flatMap(ofEngine), ...consumers.flatMap(ofConsumer), ...queues.flatMap(ofQueue)]
  if (all.length === 0) {
    return <p className="muted">All engines answer, and no work is late by more than a minute.</p>
  }
  return (
    <ul className="host-troubles">
      {all.map(({ id, tone, says }) => (
        <li key={id} className="callout" data-tone={tone}>
          <Icon name="alert" />
          <div>{says}</div>
        </li>
      ))}
    </ul>
  )
}

function ofEngine({ name, driver, status, connections }: Engine): Trouble[] {
  const id = `engine ${name}`
  // The log and the warehouse are in the database.
  if (name === 'log' || name === 'warehouse') return []
  if (name === 'mail' && status !== 'up') {
    const says = bold(
      'The mail server does not answer.',
      'Invitations and codes fail. The log of the host has the reason.',
    )
    return [{ id, tone: 'danger', says }]
  }
  if (status === 'full') {
    const says = bold('The disk of the database is full.', 'Nothing is written until there is room.')
    return [{ id, tone: 'danger', says }]
  }
  if (status !== 'up') {
    const says = bold(`${driver} is ${status}.`, 'Calls fail with 503 until it answers.')
    return [{ id, tone: 'danger', says }]
  }
  if (connections && connections.used >= NEAR * connections.max) {
    const says = bold(
      `The database has ${connections.used} of ${connections.max} connections in use.`,
      'It refuses further ones.',
    )
    return [{ id, tone: 'warn', says }]
  }
  return []
}

function ofConsumer({ name, behindSince, deadLetters, isUndeclared }: Consumer): Trouble[] {
  const troubles: Trouble[] = []
  if (deadLetters > 0) {
    const says = (
      <>
        <b>
          {name} gave up {deadLetters.toLocaleString()} {deadLetters === 1 ? 'event' : 'events'}.
        </b>{' '}
        <Link to={'/host/health/dead-letters' as never}>Read why, and retry</Link>
      </>
    )
    troubles.push({ id: `dead ${name}`, tone: 'danger', says })
  }
  if (isLate(behindSince)) {
    const says = (
      <Fragment>
        <b>{name} is behind.</b> Its oldest unread event is from <Time at={behindSince} />.{' '}
        {isUndeclared && 'This version has no such consumer, so nothing reads its events.'}
      </Fragment>
    )
    troubles.push({ id: `late ${name}`, tone: 'warn', says })
  }
  return troubles
}

function ofQueue({ name, dueSince, waiting }: Queue): Trouble[] {
  if (!isLate(dueSince)) return []
  const says = (
    <>
      <b>{name} is late.</b> A job is due since <Time at={dueSince} />, of {waiting.toLocaleString()} that wait.
    </>
  )
  return [{ id: `queue ${name}`, tone: 'warn', says }]
}

const bold = (what: string, then: string) => (
  <>
    <b>{what}</b> {then}
  </>
)
