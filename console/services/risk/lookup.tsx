// Keys may be personal data, so that they are not in the address.
import './risk.css'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ReferenceAnswer, ResolveReferenceOutput } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { errorText, RequestId } from '../../frame/problems.tsx'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Status } from '../../parts/status.tsx'
import { explained, summed } from './explain.ts'
import { RiskTabs, sets, WITHIN } from './queries.tsx'

const KEYS_MAX = 100

export function LookUp() {
  const [text, setText] = useState('')
  const [set, setSet] = useParam('set')
  const { data } = useQuery(sets)
  const keys = [...new Set(text.split('\n').flatMap(line => line.trim() || []))]
  const look = useChange({
    run: () => stoa.resolveReference({ keys, ...(set && { sets: [set] }) }),
    changes: [],
    showsErrors: true,
  })
  useCode('resolveReference', 'POST', '/v1/risk/reference/resolve', {
    keys: ['someone@example.com', '192.0.2.7'],
    ...(set && { sets: [set] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (keys.length > 0) look.mutate()
  }
  return (
    <Sheet title="Look-up" within={WITHIN}>
      <header className="head">
        <div className="grow">
          <h1>Risk</h1>
          <p>
            See what the sets know of a key, and which list or override says so. Nothing is recorded about the keys.
          </p>
        </div>
      </header>
      <RiskTabs />
      <div className="rlook">
        <form className="form" onSubmit={submit}>
          <Field
            label="Keys"
            help={`E-mail addresses, domains, IP addresses, networks, card number prefixes, user agents, AS numbers; one a line, at most ${KEYS_MAX}`}
            error={
              keys.length > KEYS_MAX ? `These are ${keys.length} keys. Remove ${keys.length - KEYS_MAX}.` : undefined
            }
          >
            {its => (
              <textarea
                {...its}
                className="input mono"
                rows={6}
                value={text}
                placeholder={'someone@mailinator.com\n185.220.101.1'}
                onChange={event => setText(event.target.value)}
              />
            )}
          </Field>
          <Field label="Set">
            {its => (
              <select {...its} className="input" value={set} onChange={event => setSet(event.target.value, true)}>
                <option value="">Every set that can read a key</option>
                {data?.sets.map(one => (
                  <option key={one.set} value={one.set}>
                    {one.set}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <div>
            <button
              type="submit"
              className="btn"
              data-kind="primary"
              aria-busy={look.isPending}
              disabled={look.isPending || keys.length === 0 || keys.length > KEYS_MAX}
            >
              {keys.length > 1 ? `Look up ${keys.length} keys` : 'Look up key'}
            </button>
          </div>
          {look.error && (
            <div className="callout" data-tone="danger" role="alert">
              <Icon name="alert" />
              <div>
                {errorText(look.error)}
                <RequestId error={look.error} />
              </div>
            </div>
          )}
        </form>
        <section className="ranswers" aria-label="Answers" aria-live="polite">
          {look.data ? (
            <Answers of={look.data} />
          ) : (
            <p className="muted">Each answer says what it means, and which data it is from.</p>
          )}
        </section>
      </div>
    </Sheet>
  )
}

const Answers = ({ of: { answers } }: { of: ResolveReferenceOutput }) => {
  const byKey = Map.groupBy(answers, ({ key }) => key)
  if (byKey.size === 0) return <p>No set can read these keys. Check how they are written.</p>
  return [...byKey].map(([key, ofKey]) => (
    <article key={key} className="ranswer">
      <div className="panel-head">
        <h2 className="mono cut">{key}</h2>
        <span className="right">
          <Summary of={ofKey} />
        </span>
      </div>
      <ul className="rows">
        {ofKey.map(answer => (
          <Answer key={answer.set} of={answer} />
        ))}
      </ul>
    </article>
  ))
}

const Summary = ({ of }: { of: ReferenceAnswer[] }) => {
  const { tone, text } = summed(of)
  return <Status tone={tone}>{text}</Status>
}

const Answer = ({ of }: { of: ReferenceAnswer }) => {
  const { tone, title, says } = explained(of)
  return (
    <li>
      <span className="code rset">{of.set}</span>
      <div className="grow">
        <Status tone={tone}>{title}</Status>
        <p>{says}</p>
        {of.value && Object.keys(of.value).length > 0 && (
          <p className="muted">
            {Object.entries(of.value)
              .map(([name, value]) => `${name}: ${value}`)
              .join(' · ')}
          </p>
        )}
      </div>
    </li>
  )
}
