// What a new organisation does first. Each step turns done when it arrives.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { me } from '../../api.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { activeKeys, firstCall, newestEvent } from './queries.ts'

type Step = {
  title: string
  says: string
  isDone: boolean
  code?: string
  waits?: string
  path?: string
  action?: string
}

/** Those that come with an organisation. */
const FIRST_KEYS = ['First run', 'First key']

/** Null until they are known. */
export function useFirstSteps(): Step[] | null {
  const { data: keys } = useQuery(activeKeys)
  const { data: called } = useQuery(firstCall)
  const { data: events } = useQuery(newestEvent)
  if (!keys || !called || !events) return null
  return [
    {
      title: 'Create a key',
      says: 'Your servers and scripts call Stoa with it. It is shown once.',
      isDone: keys.data.some(({ name }) => !FIRST_KEYS.includes(name)),
      path: 'keys?open=new',
      action: 'Create key',
    },
    {
      title: 'Send an event',
      says: 'Paste this with your key in STOA_KEY. Later, pages send events with a publishable key.',
      isDone: events.data.length > 0,
      code: `curl ${location.origin}/v1/event \\
  -H "Authorization: Bearer $STOA_KEY" \\
  --json '{"event": "Order Completed", "distinctId": "user-1", "revenue": 12.5, "currency": "EUR"}'`,
      waits: 'Waiting for your first event',
    },
    {
      title: 'Call a model',
      says: 'Paste this with your key in STOA_KEY. The model runs on this host and costs nothing.',
      isDone: called.count > 0,
      code: `curl ${location.origin}/v1/embeddings \\
  -H "Authorization: Bearer $STOA_KEY" \\
  --json '{"model": "local-embed-en", "input": "Hello"}'`,
      waits: 'Waiting for your first call',
    },
  ]
}

type Props = { name: string; steps: Step[]; onHide: () => void }

export function FirstSteps({ name, steps, onHide }: Props) {
  const { data } = useQuery(me)
  const done = steps.filter(({ isDone }) => isDone).length
  const now = steps.findIndex(({ isDone }) => !isDone)
  return (
    <div className="first">
      <header>
        <h1>Set up {name}</h1>
        <p>
          Stoa is the back end of a product: it takes events and errors, calls models, sends webhooks, signs people in
          and checks risk. One key works for all of it.
        </p>
        <p>{`${done} of ${steps.length} done. You can do them in any order, and leave at any time.`}</p>
      </header>
      <ol className="steps">
        {steps.map(({ title, says, isDone, code, waits, path, action }, n) => (
          <li key={title} data-state={isDone ? 'done' : n === now ? 'now' : undefined}>
            <span className="n">{isDone ? <Icon name="check" small /> : n + 1}</span>
            <div>
              <h2>{title}</h2>
              <p>{isDone ? 'Done.' : says}</p>
              {code && !isDone && <CodeBlock title={title} samples={[{ name: 'curl', code }]} />}
              {code && !isDone && (
                <div className="waiting" role="status">
                  <span className="status" data-tone="live">
                    {waits}
                  </span>
                  <span className="muted">This page changes by itself when it arrives.</span>
                </div>
              )}
            </div>
            {path && !isDone && data && (
              <Link
                className="btn s"
                to="/o/$org/$"
                params={{ org: data.org, _splat: path.split('?')[0] ?? '' }}
                search={{ open: 'new' } as never}
              >
                {action}
              </Link>
            )}
          </li>
        ))}
      </ol>
      <p>
        <button type="button" className="btn s" onClick={onHide}>
          Skip these steps
        </button>
      </p>
    </div>
  )
}
