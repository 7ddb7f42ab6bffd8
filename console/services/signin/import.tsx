// Imports customers from a file. The imports are named in the address, so that the report can be opened again.
import { Problem } from '../../parts/problem.tsx'
import './signin.css'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { UserImport } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Field } from '../../parts/field.tsx'
import { type ImportFile, partsOf, readImport } from './import-file.ts'
import { Report } from './import-report.tsx'

const POLL_MS = 1_000
const isDone = (one: UserImport | undefined) => one?.status === 'done'

export function Import() {
  const [ids, setIds] = useParam('imports')
  const client = useQueryClient()
  const named = ids === '' ? [] : ids.split(',')
  const imports = useQueries({
    queries: named.map(id => ({
      queryKey: ['imports', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => stoa.getUserImport({ id }, { signal }),
      refetchInterval: ({ state }: { state: { data?: UserImport | undefined } }) =>
        isDone(state.data) ? false : POLL_MS,
    })),
  })
  const run = useChange({
    run: async ({ file, replace }: { file: ImportFile; replace: boolean }) => {
      const started: string[] = []
      for (const part of partsOf(file)) {
        const { id } = await stoa.importUsers({ ...part, ...(replace && { replace }) })
        started.push(id)
        if (isOpen.current) setIds(started.join(), started.length > 1)
        await untilDone(id)
      }
    },
    changes: [['customers']],
    showsErrors: true,
  })
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false // The import goes on.
    }
  }, [])
  const failed = imports.find(one => one.error)?.error
  const found = imports.flatMap(one => one.data ?? [])
  const allDone = found.length > 0 && found.every(isDone)
  useEffect(() => {
    if (allDone) void client.invalidateQueries({ queryKey: ['customers'] })
  }, [allDone, client])
  return (
    <Sheet title="Import customers" within={[{ label: 'Customers', path: 'signin/customers' }]}>
      <header className="head">
        <div className="grow">
          <h1>Import customers</h1>
          <p>From Auth0, Firebase, Supabase, Keycloak or another Stoa, with their password hashes. No mail is sent.</p>
        </div>
      </header>
      <div className="section import">
        {named.length === 0 ? (
          <Choose isBusy={run.isPending} onRun={run.mutate} />
        ) : (
          <Report imports={found} isRunning={run.isPending} onAgain={() => setIds('')} />
        )}
        {(run.error ?? failed) && <Problem error={run.error ?? failed} />}
      </div>
    </Sheet>
  )
}

/** The host runs one import at a time. */
async function untilDone(id: string): Promise<void> {
  while (!isDone(await stoa.getUserImport({ id }))) await new Promise(resolve => setTimeout(resolve, POLL_MS))
}

type ChooseProps = { isBusy: boolean; onRun: (what: { file: ImportFile; replace: boolean }) => void }

function Choose({ isBusy, onRun }: ChooseProps) {
  const { data } = useQuery(me)
  const [file, setFile] = useState<ImportFile | null>(null)
  const [problem, setProblem] = useState<string>()
  const [replace, setReplace] = useState(false)
  const read = async (chosen: File | undefined) => {
    setFile(null)
    setProblem(undefined)
    if (!chosen) return
    try {
      setFile(readImport(await chosen.text()))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file) onRun({ file, replace })
  }
  const count = file?.users.length ?? 0
  return (
    <form className="form" onSubmit={submit}>
      <Field label="File" help="JSON. It stays in this browser until you start the import." error={problem}>
        {its => (
          <input
            {...its}
            type="file"
            accept=".json,.ndjson,.jsonl,application/json"
            onChange={event => void read(event.target.files?.[0])}
          />
        )}
      </Field>
      {data?.role === 'owner' && (
        <label className="choice">
          <input type="checkbox" checked={replace} onChange={event => setReplace(event.target.checked)} />
          <span>
            <b>Replace existing accounts</b>
            <span className="muted">Otherwise a record whose address has an account is not imported.</span>
          </span>
        </label>
      )}
      <div>
        <button type="submit" className="btn" data-kind="primary" aria-busy={isBusy} disabled={!file || isBusy}>
          {file ? `Import ${count.toLocaleString()} ${count === 1 ? 'record' : 'records'}` : 'Import records'}
        </button>
      </div>
      <CodeBlock samples={[{ name: 'A file', code: EXAMPLE }]} />
    </form>
  )
}

const EXAMPLE = `{"users": [
  {"email": "grace@example.com", "name": "Grace Hopper", "emailVerified": true,
   "password": {"hash": "$2b$10$…"}, "metadata": {"plan": "pro"}},
  {"email": "ada@example.com"}
]}`
