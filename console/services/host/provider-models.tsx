// The models of a provider as rows of a form: name and prices; the rest behind "More".
import { useQuery } from '@tanstack/react-query'
import { StoaApiError } from '../../../client/stoa.js'
import { Icon } from '../../parts/icon.tsx'
import { balance } from '../../parts/money.tsx'
import { type Draft, draftOf } from './drafts.ts'

type Props = { form: string; drafts: Draft[]; error: unknown; onChange: (drafts: Draft[]) => void }

export function ModelRows({ form, drafts, error, onChange }: Props) {
  const { data } = useQuery(balance)
  const unit = data?.currency ?? ''
  return (
    <section className="host-models">
      <h3>Models</h3>
      <p className="muted">
        Prices are in {unit || 'the currency of the host'} for a million tokens. Calls of a model without a price are
        not charged.
      </p>
      {drafts.map((draft, at) => (
        <ModelRow
          key={draft.key}
          {...{ form, draft }}
          number={at + 1}
          error={errorOf(error, at)}
          onChange={change => onChange(drafts.map(one => (one === draft ? { ...draft, ...change } : one)))}
          onRemove={() => onChange(drafts.filter(one => one !== draft))}
        />
      ))}
      <span>
        <button type="button" className="btn s" onClick={() => onChange([...drafts, draftOf(null)])}>
          <Icon name="plus" />
          Add model
        </button>
      </span>
    </section>
  )
}

/** What the host says of any field of a model. */
function errorOf(error: unknown, at: number): string | undefined {
  if (!(error instanceof StoaApiError)) return undefined
  const prefix = `models.${at}.`
  const found = error.fields.find(({ path }) => path.startsWith(prefix))
  return found && `${found.path.slice(prefix.length)} ${found.says}.`
}

type RowProps = {
  form: string
  draft: Draft
  number: number
  error: string | undefined
  onChange: (change: Partial<Draft>) => void
  onRemove: () => void
}

function ModelRow({ form, draft, number, error, onChange, onRemove }: RowProps) {
  const its = (name: 'id' | 'upstream' | 'input' | 'output' | 'cachedInput' | 'outputMax') => ({
    form,
    value: draft[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange({ [name]: event.target.value }),
  })
  const isChat = draft.kind === 'chat'
  return (
    <div className="host-model" role="group" aria-label={`Model ${number}`}>
      <Field label="Model">
        <input className="input" required maxLength={200} autoComplete="off" {...its('id')} />
      </Field>
      <Field label="Input">
        <Amount {...its('input')} />
      </Field>
      <Field label="Output">{isChat ? <Amount {...its('output')} /> : <input className="input" disabled />}</Field>
      <button
        type="button"
        className="btn icon-only"
        data-kind="quiet"
        aria-label={`Remove model ${number}`}
        title="Remove"
        onClick={onRemove}
      >
        <Icon name="x" />
      </button>
      {error && (
        <span className="error-text" role="alert">
          <Icon name="alert" small />
          {error}
        </span>
      )}
      <details>
        <summary>More</summary>
        <div className="host-more">
          <Field label="Kind">
            <select
              className="input"
              form={form}
              value={draft.kind}
              onChange={event => onChange({ kind: event.target.value as Draft['kind'] })}
            >
              <option value="chat">Chat</option>
              <option value="embedding">Embeddings</option>
            </select>
          </Field>
          <Field label="Name at the provider">
            <input className="input" maxLength={200} autoComplete="off" placeholder={draft.id} {...its('upstream')} />
          </Field>
          <Field label="Cached input">
            <Amount {...its('cachedInput')} />
          </Field>
          <Field label="Most tokens of an answer">
            <input className="input" type="number" min={1} step={1} {...its('outputMax')} />
          </Field>
        </div>
      </details>
    </div>
  )
}

const Field = ({ label, children }: { label: string; children: React.ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label className="field">
    <span className="label">{label}</span>
    {children}
  </label>
)

const Amount = (its: React.ComponentProps<'input'>) => (
  <input className="input" type="number" min={0} step="any" inputMode="decimal" {...its} />
)
