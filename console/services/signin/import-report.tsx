import type { UserImport } from '../../../client/stoa.js'
import { RECORDS_MAX } from './import-file.ts'

const sum = (imports: UserImport[], field: 'total' | 'added' | 'replaced' | 'failed') =>
  imports.reduce((all, one) => all + one[field], 0)

const PROBLEMS: Record<UserImport['data'][number]['problem'], string> = {
  exists: 'Has an account',
  invalid: 'Invalid field',
  password: 'Unusable hash',
  bound: 'Too many customers',
  failed: 'Internal error',
}

type Props = { imports: UserImport[]; isRunning: boolean; onAgain: () => void }

/** Of all imports of the file together. */
export function Report({ imports, isRunning, onAgain }: Props) {
  const [total, added, replaced, failed] = (['total', 'added', 'replaced', 'failed'] as const).map(one =>
    sum(imports, one),
  ) as [number, number, number, number]
  const done = added + replaced + failed
  const isDone = !isRunning && imports.length > 0 && imports.every(one => one.status === 'done')
  const width = { '--v': `${total === 0 ? 0 : (100 * done) / total}%` } as React.CSSProperties
  return (
    <>
      <div className="progress" role="status">
        <div className="line">
          <b>{isDone ? 'Import finished' : 'Import running'}</b>
          <span>
            {done.toLocaleString()} of {total.toLocaleString()}
          </span>
        </div>
        <div className="track" style={width} />
      </div>
      <div className="tiles three">
        <Tile label="Added" of={added} />
        <Tile label="Replaced" of={replaced} />
        <Tile label="Not imported" of={failed} />
      </div>
      {failed > 0 && <Problems imports={imports} />}
      {isDone && (
        <div>
          <button type="button" className="btn" onClick={onAgain}>
            Import another file
          </button>
        </div>
      )}
    </>
  )
}

const Tile = ({ label, of }: { label: string; of: number }) => (
  <div className="tile">
    <span className="label">{label}</span>
    <span className="figure">{of.toLocaleString()}</span>
  </div>
)

const Problems = ({ imports }: { imports: UserImport[] }) => (
  <table className="table two problems">
    <thead>
      <tr>
        <th className="r">Record</th>
        <th>Address</th>
        <th>Problem</th>
        <th>Reason</th>
      </tr>
    </thead>
    <tbody>
      {imports.flatMap((one, n) =>
        one.data.map(({ line, email, problem, says }) => (
          <tr key={`${one.id} ${line}`}>
            <td className="r p2">{(n * RECORDS_MAX + line).toLocaleString()}</td>
            <td className="p1">{email ?? '—'}</td>
            <td className="p4">{PROBLEMS[problem]}</td>
            <td className="p3 fill" title={says}>
              {says}
            </td>
          </tr>
        )),
      )}
    </tbody>
  </table>
)
