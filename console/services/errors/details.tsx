// One group of errors, and its occurrences one after another.
import { useState } from 'react'
import type { CapturedError, Frame } from '../../../client/stoa.js'
import { useParam } from '../../frame/search.ts'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { CopyButton, Id } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Pane } from '../../parts/pane.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Time } from '../../parts/time.tsx'
import { Bars } from './bars.tsx'
import { firstOf, type Group, histogram, messageOf, peopleOf, releasesOf, typeOf } from './groups.ts'

type Props = Steps & { of: Group; read: number; takesFocus: boolean }

export function ErrorPane({ of, read, ...steps }: Props) {
  const [newest] = of.errors
  const [id, setId] = useParam('error')
  const at = Math.max(
    0,
    of.errors.findIndex(one => one.id === id),
  )
  const error = of.errors[at] ?? newest
  return (
    <Pane
      title={typeOf(newest)}
      badge={newest.exception.handled === false && <span className="muted">unhandled</span>}
      sub={<span className="emsg mono">{messageOf(newest)}</span>}
      {...steps}
    >
      <Figures of={of} />
      <When of={of} read={read} />
      <Stack of={error} />
      <section>
        <div className="panel-head">
          <h3>{at === 0 ? 'Newest occurrence' : `Occurrence ${at + 1} of ${of.errors.length.toLocaleString()}`}</h3>
          {of.errors.length > 1 && (
            <span className="right">
              <Step label="Newer occurrence" icon="left" to={of.errors[at - 1]} onStep={setId} />
              <Step label="Older occurrence" icon="right" to={of.errors[at + 1]} onStep={setId} />
            </span>
          )}
        </div>
        <Occurrence of={error} />
      </section>
      <Properties of={error} />
    </Pane>
  )
}

type StepProps = { label: string; icon: string; to: CapturedError | undefined; onStep: (id: string) => void }

const Step = ({ label, icon, to, onStep }: StepProps) => (
  <button
    type="button"
    className="btn s icon-only"
    aria-label={label}
    title={label}
    disabled={to === undefined}
    onClick={() => to && onStep(to.id)}
  >
    <Icon name={icon} />
  </button>
)

function Figures({ of }: { of: Group }) {
  const [release, ...others] = releasesOf(of)
  const tiles = [
    ['Times', of.errors.length.toLocaleString()],
    ['People', peopleOf(of).toLocaleString()],
    ['Last seen', <Time key="last" at={of.errors[0].timestamp} />],
    [others.length > 0 ? `Release, and ${others.length} more` : 'Release', release ?? '—'],
  ] as const
  return (
    <div className="tiles efigs" style={{ '--n': tiles.length } as React.CSSProperties}>
      {tiles.map(([label, figure]) => (
        <div key={label} className="tile">
          <span className="label">{label}</span>
          <span className="figure">{figure}</span>
        </div>
      ))}
    </div>
  )
}

const PARTS = 48

/** From its first error that was read to now. */
function When({ of, read }: { of: Group; read: number }) {
  const first = firstOf(of).timestamp
  const counts = histogram(of.errors, Date.parse(first), Date.now(), PARTS)
  const half = Math.ceil(Math.max(...counts) / 2)
  return (
    <section className="ewhen">
      <div className="chart">
        <div className="y" aria-hidden="true">
          {[0, half, 2 * half].map(mark => (
            <span key={mark}>{mark.toLocaleString()}</span>
          ))}
        </div>
        <div className="plot">
          <Bars counts={counts} max={2 * half} className="sd" />
        </div>
        <div className="x">
          <span>
            <Time at={first} />
          </span>
          <span>now</span>
        </div>
      </div>
      <p className="muted">{`Of the newest ${read.toLocaleString()} errors. Older ones are not counted.`}</p>
    </section>
  )
}

const FRAMES = [
  ['own', 'Your code'],
  ['all', 'All frames'],
] as const

function Stack({ of: { exception } }: { of: CapturedError }) {
  const { frames, stack } = exception
  const own = frames.filter(({ inApp }) => inApp)
  const [chosen, choose] = useState<'own' | 'all'>(own.length > 0 ? 'own' : 'all')
  if (frames.length === 0) return stack ? <CodeBlock title="Stack" samples={[{ name: 'Stack', code: stack }]} /> : null
  const shown = chosen === 'own' ? own : frames
  return (
    <section>
      <div className="panel-head">
        <h3>Stack</h3>
        <span className="right">
          {own.length > 0 && own.length < frames.length && (
            <Segments label="Frames" options={FRAMES} chosen={chosen} onChoose={choose} />
          )}
          {stack && <CopyButton text={stack} />}
        </span>
      </div>
      <ol className="frames card">
        {shown.map((frame, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a frame is its place in the stack
          <li key={n} data-lib={frame.inApp === false || undefined}>
            <span className="fn">{frame.function ?? 'anonymous'}</span>
            <span className="muted mono cut" title={placeText(frame)}>
              {frame.file}
              <b>{lineText(frame)}</b>
            </span>
          </li>
        ))}
        {shown.length < frames.length && (
          <li className="muted">{`${frames.length - shown.length} frames of libraries`}</li>
        )}
      </ol>
    </section>
  )
}

const lineText = ({ line, column }: Frame) =>
  [line, column]
    .flatMap(one => one ?? [])
    .map(one => `:${one}`)
    .join('')
const placeText = (frame: Frame) => `${frame.file ?? ''}${lineText(frame)}`

const Occurrence = ({ of }: { of: CapturedError }) => (
  <dl className="kv">
    <Entry name="Time" value={<Time at={of.timestamp} />} />
    <Entry name="Person" value={of.distinctId && <Id text={of.distinctId} show />} />
    <Entry name="Session" value={of.sessionId && <Id text={of.sessionId} show />} />
    <Entry name="Page" value={of.url ?? of.path} />
    <Entry name="Project" value={of.product} />
    <Entry name="Release" value={of.release} />
    <Entry name="Environment" value={of.environment} />
    <Entry name="SDK" value={of.library && [of.library, of.libraryVersion].filter(Boolean).join(' ')} />
    <Entry name="Event" value={<Id text={of.id} show />} />
  </dl>
)

const Entry = ({ name, value }: { name: string; value: React.ReactNode }) =>
  value ? (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  ) : null

function Properties({ of: { properties, propertiesOmitted } }: { of: CapturedError }) {
  if (propertiesOmitted !== undefined) {
    return (
      <p className="muted">
        {`Its properties (${propertiesOmitted.toLocaleString()} bytes) are left out of long answers. Read fewer errors through the API to get them.`}
      </p>
    )
  }
  if (Object.keys(properties).length === 0) return null
  return <CodeBlock title="Properties" samples={[{ name: 'Properties', code: jsonText(properties), isJson: true }]} />
}
