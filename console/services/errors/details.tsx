// One group of errors in a time, and its newest occurrences one after another.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CapturedError, ErrorGroup, ErrorGroups, Frame } from '../../../client/stoa.js'
import { useParam } from '../../frame/search.ts'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { CopyButton, Id } from '../../parts/copy.tsx'
import { Estimate } from '../../parts/estimate.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Pane } from '../../parts/pane.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Time } from '../../parts/time.tsx'
import { betweenText } from '../../parts/zone.ts'
import { Bars } from './bars.tsx'
import { errorsOf, messageOf, typeOf } from './queries.ts'

type Props = Steps & { of: ErrorGroup; read: ErrorGroups; takesFocus: boolean }

export function ErrorPane({ of, read, ...steps }: Props) {
  const { data: errors, error } = useQuery(errorsOf(of.fingerprint))
  return (
    <Pane
      title={typeOf(of)}
      badge={errors?.[0]?.exception.handled === false && <span className="muted">unhandled</span>}
      sub={<span className="emsg mono">{messageOf(of)}</span>}
      {...steps}
    >
      <Figures of={of} read={read} />
      <When of={of} read={read} />
      {error && !errors && <Problem error={error} />}
      {errors && <Occurrences errors={errors} />}
    </Pane>
  )
}

function Occurrences({ errors }: { errors: CapturedError[] }) {
  const [id, setId] = useParam('error')
  const at = Math.max(
    0,
    errors.findIndex(one => one.id === id),
  )
  const error = errors[at]
  if (!error) {
    return <p className="muted">The errors of this group were deleted. Only their number is kept.</p>
  }
  return (
    <>
      <Stack of={error} />
      <section>
        <div className="panel-head">
          <h3>{at === 0 ? 'Newest occurrence' : `Occurrence ${at + 1} of ${errors.length.toLocaleString()}`}</h3>
          {errors.length > 1 && (
            <span className="right">
              <Step label="Newer occurrence" icon="left" to={errors[at - 1]} onStep={setId} />
              <Step label="Older occurrence" icon="right" to={errors[at + 1]} onStep={setId} />
            </span>
          )}
        </div>
        <Occurrence of={error} />
      </section>
      <Properties of={error} />
    </>
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

function Figures({ of, read }: { of: ErrorGroup; read: ErrorGroups }) {
  const [release, ...others] = of.releases.toReversed()
  const tiles = [
    ['Times', of.count.toLocaleString()],
    ['People', <Estimate key="people" text={of.people.toLocaleString()} distinct={read.distinct} />],
    ['First seen', <Time key="first" at={of.firstSeen} />],
    [
      others.length > 0 ? `Release, and ${others.length} more` : 'Release',
      <span key="release" title={of.releases.join(', ')}>
        {release ?? '—'}
      </span>,
    ],
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

/** How often it happened in equal parts of the time, the first of which may begin earlier. */
function When({ of: { sparkline, count }, read: { range, sparklineFrom } }: { of: ErrorGroup; read: ErrorGroups }) {
  const end = Date.parse(range.to)
  const half = Math.ceil(Math.max(1, ...sparkline) / 2)
  const label = `${count.toLocaleString()} in the time ${betweenText(range)}, time zone ${range.zone}`
  return (
    <section className="ewhen">
      <div className="chart" role="img" aria-label={label}>
        <div className="y">
          {[0, half, 2 * half].map(mark => (
            <span key={mark}>{mark.toLocaleString()}</span>
          ))}
        </div>
        <div className="plot">
          <Bars counts={sparkline} max={2 * half} className="sd" />
        </div>
        <div className="x">
          <span>
            <Time at={sparklineFrom} />
          </span>
          <span>
            <Time at={new Date(Math.min(end, Date.now())).toISOString()} />
          </span>
        </div>
      </div>
      <p className="muted">{label}</p>
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
        {shown.length < frames.length && <li className="muted">{librariesText(frames.length - shown.length)}</li>}
      </ol>
    </section>
  )
}

const librariesText = (frames: number) => (frames === 1 ? '1 frame of a library' : `${frames} frames of libraries`)

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
