import { Problem } from '../../parts/problem.tsx'
import './risk.css'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { ReferenceOverride, ReferenceOverrideIn } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { download } from '../../parts/download.ts'
import { Drawer } from '../../parts/drawer.tsx'
import { Field, fieldError } from '../../parts/field.tsx'
import { Find } from '../../parts/find.tsx'
import { FormFoot } from '../../parts/form.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { csvOf } from './csv.ts'
import { ImportOverrides } from './import.tsx'
import { OverrideDetails } from './override.tsx'
import { overridesOf, sets, WITHIN } from './queries.tsx'

const PAGE = 200

export function Overrides() {
  const { set = '' } = useParams({ strict: false }) as { set?: string }
  const [text, setText] = useParam('q')
  const [open, setOpen] = useParam('open')
  const { data } = useQuery(sets)
  useCode('getReference', 'GET', '/v1/risk/reference/{set}', { set })
  const save = useChange({
    run: async () => {
      const all: ReferenceOverride[] = []
      for await (const page of overridesOf(set)) all.push(...page)
      return csvOf(all)
    },
    changes: [],
    onDone: csv => download(`overrides-${set}.csv`, csv),
  })
  const count = data?.sets.find(one => one.set === set)?.overrides
  return (
    <List
      title={set}
      heading={`Overrides on ${set}`}
      within={WITHIN}
      about="Exceptions for this organisation. They win over the published list: deny counts as listed, allow does not."
      actions={
        <>
          <button
            type="button"
            className="btn"
            aria-busy={save.isPending}
            disabled={save.isPending || count === 0}
            onClick={() => save.mutate()}
          >
            Export CSV
          </button>
          <button type="button" className="btn" aria-expanded={open === 'import'} onClick={() => setOpen('import')}>
            Import CSV…
          </button>
        </>
      }
      filters={<Find label="Find by key, note or person" value={text} onChange={one => setText(one, true)} />}
      isFiltered={text !== ''}
      onClear={() => setText('')}
      noun={['override', 'overrides']}
      query={{
        ...pages(['risk', 'overrides', set, text], (after, { signal }) =>
          text ? found(set, text, signal) : page(set, after, signal),
        ),
        placeholderData: before => before,
      }}
      idOf={({ key }) => key}
      columns={COLUMNS}
      create="Add override"
      creation={onClose => <AddOverride set={set} onClose={onClose} />}
      details={(override, steps) => <OverrideDetails key={override.key} set={set} of={override} {...steps} />}
      drawer={open === 'import' ? <ImportOverrides set={set} onClose={() => setOpen('')} /> : undefined}
      empty={{
        icon: 'shield',
        title: 'No override on this set',
        says: 'Add one to allow a key that the list has, or to deny one that it lacks.',
      }}
    />
  )
}

async function page(set: string, after: { after?: string }, signal: AbortSignal) {
  const { overrides, next } = await stoa.getReference({ set, ...after, limit: PAGE }, { signal })
  return { data: overrides, next }
}

/** The host has no search, so that all pages are read; at most `PAGE` are shown. */
async function found(set: string, text: string, signal: AbortSignal) {
  const wanted = text.toLowerCase()
  const data: ReferenceOverride[] = []
  for await (const some of overridesOf(set, signal)) {
    data.push(...some.filter(one => `${one.key}\n${one.note ?? ''}\n${one.by}`.toLowerCase().includes(wanted)))
    if (data.length >= PAGE) break
  }
  return { data: data.slice(0, PAGE), next: '' }
}

const COLUMNS: Column<ReferenceOverride>[] = [
  { head: 'Key', className: 'p1', cell: ({ key }) => key },
  { head: 'Effect', className: 'p2', cell: ({ verdict }) => <Effect of={verdict} /> },
  { head: 'Note', className: 'p3 fill', cell: ({ note }) => note ?? <span className="zero">—</span> },
  { head: 'By', className: 'low', cell: ({ by }) => by },
  { head: 'Written', className: 'r p4', cell: ({ at }) => <Time at={at} /> },
]

export const Effect = ({ of }: { of: ReferenceOverride['verdict'] }) =>
  of === 'allow' ? (
    <span className="badge" data-tone="success">
      Allow
    </span>
  ) : (
    <span className="badge">Deny</span>
  )

function AddOverride({ set, onClose }: { set: string; onClose: () => void }) {
  const [verdict, setVerdict] = useState<'deny' | 'allow'>('deny')
  const add = useChange({
    run: (entry: ReferenceOverrideIn) => stoa.setReference({ set, entries: [entry] }),
    changes: [['risk']],
    done: () => 'Override added',
    onDone: onClose,
    showsErrors: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const note = String(form.get('note')).trim()
    add.mutate({ key: String(form.get('key')).trim(), verdict, ...(note && { note }) })
  }
  const { error } = add
  const named = fieldError(error, 'entries.0.key') ?? fieldError(error, 'entries.0.note')
  return (
    <Drawer
      title="Add an override"
      onClose={onClose}
      foot={<FormFoot form="add-override" action="Add override" isBusy={add.isPending} onCancel={onClose} />}
    >
      <form className="form" id="add-override" onSubmit={submit}>
        <Field
          label="Key"
          help="As the set compares it: a domain covers the domains below it, a network its addresses"
          error={fieldError(error, 'entries.0.key')}
        >
          {its => <input {...its} className="input" name="key" required maxLength={512} autoComplete="off" />}
        </Field>
        <fieldset className="field">
          <legend className="label">Effect</legend>
          {CHOICES.map(([value, label, says]) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name="verdict"
                value={value}
                checked={verdict === value}
                onChange={() => setVerdict(value)}
              />
              <span>
                <b>{label}</b>
                <span className="muted">{says}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Field label="Note" optional help="Why, for whoever finds it later" error={fieldError(error, 'entries.0.note')}>
          {its => <input {...its} className="input" name="note" maxLength={512} autoComplete="off" />}
        </Field>
        {error && !named && <Problem error={error} />}
      </form>
    </Drawer>
  )
}

const CHOICES = [
  ['deny', 'Deny', 'Counts as a member of the set'],
  ['allow', 'Allow', 'Does not count, even if the list has it'],
] as const
