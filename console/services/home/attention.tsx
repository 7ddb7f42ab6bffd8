// What somebody should act on: failing endpoints, keys that stop soon, and risk data that is old.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Key, ReferenceSet, WebhookEndpoint } from '../../../client/stoa.js'
import { Icon } from '../../parts/icon.tsx'
import { Money } from '../../parts/money.tsx'
import { Time } from '../../parts/time.tsx'
import { activeKeys, endpoints, sets } from './queries.ts'

type Item = {
  id: string
  tone: 'danger' | 'warn'
  icon: string
  title: ReactNode
  says: ReactNode
  path: string
  /** What to open there. */
  open?: string
  action: string
}

/** From this share of its budget a key is about to stop. */
const NEAR = 0.8
const SOON_MS = 7 * 86_400_000

/** `quiet`: nothing is shown if there is nothing. */
export function Attention({ org, quiet }: { org: string; quiet: boolean }) {
  const keys = useQuery(activeKeys)
  const hooks = useQuery(endpoints)
  const risk = useQuery(sets)
  const items = [
    ...(hooks.data?.data.flatMap(ofEndpoint) ?? []),
    ...(keys.data?.data.flatMap(ofKey) ?? []),
    ...ofSets(risk.data?.sets ?? []),
  ]
  const isKnown = keys.data && hooks.data && risk.data
  if (quiet && items.length === 0) return null
  return (
    <section className="section">
      <div className="panel-head">
        <h2>Needs attention</h2>
        {items.length > 0 && (
          <span className="badge" data-tone={items.some(({ tone }) => tone === 'danger') ? 'danger' : 'warn'}>
            {items.length}
          </span>
        )}
      </div>
      {items.length > 0 ? (
        <ul className="card attention">
          {items.map(({ id, tone, icon, title, says, path, open, action }) => (
            <li key={id}>
              <span className="glyph" data-tone={tone}>
                <Icon name={icon} />
              </span>
              <span className="grow">
                <span className="t">{title}</span>
                <span className="muted sub">{says}</span>
              </span>
              <Link
                className="btn s"
                to="/o/$org/$"
                params={{ org, _splat: path }}
                {...(open && { search: { open } as never })}
              >
                {action}
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted">
          {isKnown ? 'Nothing. Endpoints deliver, keys have budget left, and risk data is fresh.' : 'Loading'}
        </p>
      )}
    </section>
  )
}

function ofEndpoint({ id, url, description, status, failures7d, deliveries7d }: WebhookEndpoint): Item[] {
  if (status !== 'active' || failures7d === 0) return []
  const title = (
    <>
      Endpoint <b>{description || new URL(url).host}</b>{' '}
      {failures7d === 1 ? 'failed once' : `failed ${failures7d.toLocaleString()} times`} in seven days
    </>
  )
  const says = `Of ${deliveries7d.toLocaleString()} ${deliveries7d === 1 ? 'delivery' : 'deliveries'}. Failed ones can be sent again.`
  return [{ id, tone: 'danger', icon: 'hook', title, says, path: `webhooks/${id}`, action: 'See attempts' }]
}

function ofKey({ id, name, budget, spendMonth, expires }: Key): Item[] {
  const one = { id, tone: 'warn', icon: 'key', path: 'keys', open: id, action: 'Open key' } as const
  if (budget?.month && spendMonth >= NEAR * budget.month) {
    const title = (
      <>
        Key <b>{name}</b> has spent <Money cents={spendMonth} /> of <Money cents={budget.month} /> this month
      </>
    )
    return [{ ...one, title, says: 'It stops calling models when the budget is used up.' }]
  }
  if (!expires || new Date(expires).getTime() > Date.now() + SOON_MS) return []
  const title = (
    <>
      Key <b>{name}</b> expires soon
    </>
  )
  return [{ ...one, title, says: <Time at={expires} /> }]
}

function ofSets(sets: ReferenceSet[]): Item[] {
  const one = { tone: 'warn', icon: 'shield', path: 'risk', action: 'Open sets' } as const
  // Those that need a licence or are stored by others refuse always.
  const refused = sets.filter(({ kind, refusal }) => refusal && ['fetch', 'local'].includes(kind))
  const stale = sets.filter(({ stale, refusal }) => stale && !refusal)
  const named = (of: ReferenceSet[]) => of.map(({ set }) => set).join(', ')
  return [
    ...(refused.length > 0
      ? [
          {
            ...one,
            id: 'refused',
            title: 'Risk sets cannot be consulted',
            says: `${named(refused)}: ${refused[0]?.refusal}`,
          },
        ]
      : []),
    ...(stale.length > 0
      ? [
          {
            ...one,
            id: 'stale',
            title: 'Risk sets are too old',
            says: `${named(stale)}. Look-ups still answer, and say so.`,
          },
        ]
      : []),
  ]
}
