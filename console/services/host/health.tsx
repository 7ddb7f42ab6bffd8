// Whether the host works: first what somebody should act on, then engines, consumers and queues.
import './host.css'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Consumer, Engine, Queue } from '../../../client/stoa.js'
import { useCode } from '../../frame/code.tsx'
import { Sheet } from '../../frame/sheet.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Status, type Tone } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { consumers, engines, HealthTabs, queues } from './queries.tsx'
import { sizeText } from './sizes.ts'
import { Troubles } from './troubles.tsx'

export function Health() {
  const found = { engines: useQuery(engines), consumers: useQuery(consumers), queues: useQuery(queues) }
  useCode('listEngines', 'GET', '/v1/o11y/engines', {})
  return (
    <Sheet title="Health">
      <header className="head">
        <div className="grow">
          <h1>Health</h1>
          <p>What this host stores its data with, and the work that it does in the background.</p>
        </div>
      </header>
      <HealthTabs />
      <div className="section host-top">
        <Troubles
          engines={found.engines.data?.engines}
          consumers={found.consumers.data?.consumers}
          queues={found.queues.data?.queues}
        />
        <Engines result={found.engines} />
      </div>
      <Part title="Consumers" about="They read the events of all organisations." result={found.consumers}>
        <Rows of={found.consumers.data?.consumers} columns={CONSUMERS} none="No consumer" />
      </Part>
      <Part title="Queues" about="Work with effects outside, such as deliveries and mails." result={found.queues}>
        <Rows of={found.queues.data?.queues} columns={QUEUES} none="No queue" />
      </Part>
    </Sheet>
  )
}

const NAMES = { db: 'Database', log: 'Event log', warehouse: 'Events for analytics', mail: 'Mail' }
const STATES: Record<Engine['status'], [Tone, string]> = {
  up: ['success', 'Up'],
  busy: ['warn', 'Busy'],
  full: ['danger', 'Disk full'],
  down: ['danger', 'Down'],
}

function Engines({ result: { data, error } }: { result: UseQueryResult<{ engines: Engine[] }> }) {
  if (error && !data) return <Problem error={error} />
  return (
    <div className="tiles host-engines">
      {(Object.keys(NAMES) as Engine['name'][]).map(name => {
        const of = data?.engines.find(one => one.name === name)
        return (
          <div key={name} className="tile">
            <span className="label">{NAMES[name]}</span>
            {of ? <EngineStatus of={of} /> : <span className="skeleton" />}
            <span className="muted">{of && factsOf(of)}</span>
          </div>
        )
      })}
    </div>
  )
}

const EngineStatus = ({ of: { driver, status } }: { of: Engine }) =>
  driver === 'files' ? (
    <Status tone="off">Not sent</Status>
  ) : (
    <Status tone={STATES[status][0]}>{STATES[status][1]}</Status>
  )

const DRIVERS: Record<string, string> = { files: 'Kept in files, because no server is set' }

const factsOf = ({ driver, version, bytes, connections }: Engine) =>
  [
    `${DRIVERS[driver] ?? driver}${version ? ` ${version}` : ''}`,
    ...(bytes === undefined ? [] : [`${sizeText(bytes)} on disk`]),
    ...(connections ? [`${connections.used} of ${connections.max} connections`] : []),
  ].join(' · ')

type PartProps = { title: string; about: string; result: UseQueryResult; children: ReactNode }

const Part = ({ title, about, result: { data, error }, children }: PartProps) => (
  <section className="host-part">
    <div className="section">
      <h2>{title}</h2>
      <p className="muted">{about}</p>
      {error && !data ? <Problem error={error} /> : null}
    </div>
    {children}
  </section>
)

type Columns<Item> = { head: string; className: string; cell: (item: Item) => ReactNode }[]

function Rows<Item extends { name: string }>({
  of,
  columns,
  none,
}: {
  of: Item[] | undefined
  columns: Columns<Item>
  none: string
}) {
  if (!of) return null
  if (of.length === 0) return <p className="section muted">{none}</p>
  return (
    <table className="table two">
      <thead>
        <tr>
          {columns.map(({ head, className }) => (
            <th key={head} className={className.replace(/p\d/, '').trim() || undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.map(item => (
          <tr key={item.name}>
            {columns.map(({ head, className, cell }) => (
              <td key={head} className={className}>
                {cell(item)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Count = ({ of, isLoud = false }: { of: number; isLoud?: boolean }) =>
  of === 0 ? <span className="zero">0</span> : <span data-loud={isLoud || undefined}>{of.toLocaleString()}</span>

const CONSUMERS: Columns<Consumer> = [
  {
    head: 'Consumer',
    className: 'p1 fill',
    cell: ({ name, isUndeclared }) => (
      <>
        <span className="main">{name}</span>
        {isUndeclared && <span className="badge host-note">Of another version</span>}
      </>
    ),
  },
  { head: 'Behind since', className: 'p3', cell: one => <Time at={one.behindSince} none="Has read all" /> },
  {
    head: 'Waiting events',
    className: 'r p2',
    cell: ({ waiting }) => (
      <>
        <Count of={waiting} />
        <span className="phone-only"> waiting</span>
      </>
    ),
  },
  {
    head: 'Dead letters',
    className: 'r p4',
    cell: ({ deadLetters }) => (
      <>
        <Count of={deadLetters} isLoud />
        <span className="phone-only"> dead</span>
      </>
    ),
  },
]

const QUEUES: Columns<Queue> = [
  { head: 'Queue', className: 'p1 fill', cell: ({ name }) => <span className="main">{name}</span> },
  { head: 'Due since', className: 'p3', cell: one => <Time at={one.dueSince} none="Nothing is due" /> },
  {
    head: 'Waiting jobs',
    className: 'r p2',
    cell: ({ waiting }) => (
      <>
        <Count of={waiting} />
        <span className="phone-only"> waiting</span>
      </>
    ),
  },
  { head: 'Keys', className: 'r low', cell: ({ keys }) => <Count of={keys} /> },
  { head: 'Running keys', className: 'r', cell: ({ held }) => <Count of={held} /> },
  {
    head: 'Paused keys',
    className: 'r p4',
    cell: ({ paused }) => (
      <>
        <Count of={paused} />
        <span className="phone-only"> paused</span>
      </>
    ),
  },
]
