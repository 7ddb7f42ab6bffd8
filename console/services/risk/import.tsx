// Imports overrides from a CSV file, in parts: each part is written whole or not at all.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReferenceOverrideIn } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { errorText, RequestId } from '../../frame/problems.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { entriesIn, type Problem } from './csv.ts'

/** The host accepts 1,000 at once; smaller parts show progress. */
const PART = 500
/** More are counted, not listed. */
const PROBLEMS_SHOWN = 5

type Parsed = { name: string; entries: ReferenceOverrideIn[]; problems: Problem[] }
type Run = { written: number; state: 'busy' | 'done' | 'stopped' | 'failed'; error?: unknown }

export function ImportOverrides({ set, onClose }: { set: string; onClose: () => void }) {
  const [parsed, setParsed] = useState<Parsed | null>(null)
  const [run, setRun] = useState<Run | null>(null)
  const stop = useRef<AbortController | null>(null)
  const queryClient = useQueryClient()
  useEffect(() => () => stop.current?.abort(), [])
  const entries = parsed?.entries ?? []
  const isBusy = run?.state === 'busy'

  async function start(): Promise<void> {
    const stopping = new AbortController()
    stop.current = stopping
    let written = run?.written ?? 0
    setRun({ written, state: 'busy' })
    try {
      while (written < entries.length) {
        await stoa.setReference({ set, entries: entries.slice(written, written + PART) }, { signal: stopping.signal })
        written = Math.min(entries.length, written + PART)
        setRun({ written, state: 'busy' })
      }
      setRun({ written, state: 'done' })
    } catch (error) {
      setRun(stopping.signal.aborted ? { written, state: 'stopped' } : { written, state: 'failed', error })
    }
    await queryClient.invalidateQueries({ queryKey: ['risk'] })
  }

  const left = entries.length - (run?.written ?? 0)
  const foot = (
    <span className="right">
      {isBusy ? (
        <button type="button" className="btn" onClick={() => stop.current?.abort()}>
          Stop import
        </button>
      ) : (
        <button type="button" className="btn" onClick={onClose}>
          {run?.state === 'done' ? 'Done' : 'Cancel'}
        </button>
      )}
      {run?.state !== 'done' && (
        <button
          type="button"
          className="btn"
          data-kind="primary"
          aria-busy={isBusy}
          disabled={isBusy || left === 0}
          onClick={() => void start()}
        >
          {left === 0 ? 'Import overrides' : `Import ${left.toLocaleString()} overrides`}
        </button>
      )}
    </span>
  )
  return (
    <Drawer
      title="Import overrides"
      sub={<span className="muted">{`On the set ${set}`}</span>}
      foot={foot}
      onClose={onClose}
    >
      <Field
        label="CSV file"
        help="Columns key, verdict (deny or allow) and note. An earlier override of a key is replaced."
      >
        {its => (
          <input
            {...its}
            type="file"
            accept=".csv,text/csv,text/plain"
            disabled={isBusy}
            onChange={async event => {
              const file = event.target.files?.[0]
              setRun(null)
              setParsed(file ? { name: file.name, ...entriesIn(await file.text()) } : null)
            }}
          />
        )}
      </Field>
      {parsed && <Found of={parsed} />}
      {run && <Progress of={run} total={entries.length} entries={entries} />}
    </Drawer>
  )
}

const Found = ({ of: { entries, problems } }: { of: Parsed }) => {
  const denied = entries.filter(({ verdict }) => verdict === 'deny').length
  return (
    <section>
      <h3>{`${entries.length.toLocaleString()} overrides in the file`}</h3>
      <p className="muted">{`${denied.toLocaleString()} deny, ${(entries.length - denied).toLocaleString()} allow`}</p>
      {problems.length > 0 && (
        <div className="callout rproblems" data-tone="warn">
          <Icon name="info" />
          <div>
            <b>{`${problems.length} ${problems.length === 1 ? 'line is' : 'lines are'} left out.`}</b>
            <ul>
              {problems.slice(0, PROBLEMS_SHOWN).map(({ line, says }) => (
                <li key={line}>{`Line ${line} ${says}.`}</li>
              ))}
              {problems.length > PROBLEMS_SHOWN && <li>{`And ${problems.length - PROBLEMS_SHOWN} more.`}</li>}
            </ul>
          </div>
        </div>
      )}
    </section>
  )
}

const STATES = { busy: 'Importing', done: 'Imported', stopped: 'Stopped', failed: 'Failed' }

function Progress({ of, total, entries }: { of: Run; total: number; entries: ReferenceOverrideIn[] }) {
  const share = total === 0 ? 0 : (100 * of.written) / total
  return (
    <section>
      <div
        className="progress"
        role="progressbar"
        aria-label="Import"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={of.written}
      >
        <div className="line">
          <span>{STATES[of.state]}</span>
          <span className="muted">{`${of.written.toLocaleString()} of ${total.toLocaleString()}`}</span>
        </div>
        <div className="track" style={{ '--v': `${share}%` } as React.CSSProperties} />
      </div>
      {of.state === 'failed' && (
        <div className="callout rfailed" data-tone="danger" role="alert">
          <Icon name="alert" />
          <div>
            <b>{`${of.written.toLocaleString()} were written; the next ${Math.min(PART, total - of.written)} were refused.`}</b>{' '}
            {errorText(of.error)} {refusedKey(of, entries)}
            <RequestId error={of.error} />
          </div>
        </div>
      )}
      <p className="vh" role="status">
        {of.state === 'busy' ? '' : `${STATES[of.state]}: ${of.written} of ${total}`}
      </p>
    </section>
  )
}

/** The host names a wrong entry by its place in the part. */
function refusedKey({ error, written }: Run, entries: ReferenceOverrideIn[]): string {
  const path = (error as { fields?: { path: string }[] }).fields?.[0]?.path ?? ''
  const at = /^entries\.(\d+)/.exec(path)?.[1]
  const entry = at === undefined ? undefined : entries[written + Number(at)]
  return entry ? `The key is ${entry.key}.` : ''
}
