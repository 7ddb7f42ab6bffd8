// The events that an endpoint gets: subjects that the host emits, by family, and patterns of the organisation's own events.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookSubject } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { errorText } from '../../frame/problems.tsx'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'

const subjects = {
  queryKey: ['webhook-subjects'],
  queryFn: ({ signal }: { signal: AbortSignal }) => stoa.listWebhookSubjects({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
}

type Props = { id: string; chosen: string[]; onChoose: (patterns: string[]) => void }

export function Picker({ id, chosen, onChoose }: Props) {
  const { data, error } = useQuery(subjects)
  const [find, setFind] = useState('')
  const [example, setExample] = useState('')
  const wanted = find.trim().toLowerCase()
  const found = (data?.data ?? []).filter(({ subject, what }) => `${subject} ${what}`.toLowerCase().includes(wanted))
  const toggle = (pattern: string) =>
    onChoose(chosen.includes(pattern) ? chosen.filter(one => one !== pattern) : [...chosen, pattern])
  const add = () => {
    const pattern = patternOf(find.trim())
    if (pattern && !chosen.includes(pattern)) onChoose([...chosen, pattern])
    setFind('')
  }
  return (
    <div className="picker">
      {chosen.length > 0 && (
        <div className="line patterns">
          {chosen.map(pattern => (
            <span key={pattern} className="chip">
              <span className="mono">{pattern}</span>
              <button type="button" aria-label={`Remove ${pattern}`} onClick={() => toggle(pattern)}>
                <Icon name="x" small />
              </button>
            </span>
          ))}
        </div>
      )}
      <div className="line">
        <input
          id={id}
          className="input"
          value={find}
          autoComplete="off"
          placeholder="Find, or the name of an event that you send"
          onChange={event => setFind(event.target.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
        <button type="button" className="btn" disabled={wanted === ''} onClick={add}>
          Add pattern
        </button>
      </div>
      {error && <p className="muted">{errorText(error)}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <div className="subjects" role="group" aria-label="Events of this host" tabIndex={0}>
        {familiesOf(found).map(([family, of]) => (
          <Family key={family} {...{ family, of, chosen, toggle, example }} onExample={setExample} />
        ))}
        {data && found.length === 0 && (
          <p className="muted">
            No event of this host has this name. Events that you send have the pattern{' '}
            <span className="code">{patternOf(find.trim())}</span>
          </p>
        )}
      </div>
    </div>
  )
}

const PLAIN = /^[\w $-]+$/

/** Of the name of an own event, its subject: `Order Completed` is `event.order_completed`. */
const patternOf = (typed: string) =>
  PLAIN.test(typed) ? `event.${typed.replaceAll('$', '').toLowerCase().replaceAll(/[ -]/g, '_')}` : typed

type FamilyProps = {
  family: string
  of: WebhookSubject[]
  chosen: string[]
  toggle: (pattern: string) => void
  example: string
  onExample: (subject: string) => void
}

function Family({ family, of, chosen, toggle, example, onExample }: FamilyProps) {
  const whole = `${family}.>`
  const hasAll = chosen.includes(whole)
  return (
    <fieldset>
      <legend className="vh">{family}</legend>
      <label className="subject whole">
        <input type="checkbox" checked={hasAll} onChange={() => toggle(whole)} />
        <span className="grow strong">{`All of ${family}`}</span>
        <span className="code">{whole}</span>
      </label>
      {of.map(({ subject, what, example: body }) => (
        <div key={subject}>
          <div className="subject">
            <label className="grow">
              <input
                type="checkbox"
                disabled={hasAll}
                checked={hasAll || chosen.includes(subject)}
                onChange={() => toggle(subject)}
              />
              <span>
                <span className="mono">{subject}</span>
                <span className="muted">{what}</span>
              </span>
            </label>
            <button
              type="button"
              className="btn s"
              data-kind="quiet"
              aria-expanded={example === subject}
              aria-label={`Example of ${subject}`}
              onClick={() => onExample(example === subject ? '' : subject)}
            >
              Example
            </button>
          </div>
          {example === subject && <CodeBlock samples={[{ name: 'Body', code: jsonText(body), isJson: true }]} />}
        </div>
      ))}
    </fieldset>
  )
}

function familiesOf(of: WebhookSubject[]): [family: string, of: WebhookSubject[]][] {
  const families = new Map<string, WebhookSubject[]>()
  for (const one of of) {
    const family = one.subject.split('.')[0] ?? ''
    families.set(family, [...(families.get(family) ?? []), one])
  }
  return [...families]
}
