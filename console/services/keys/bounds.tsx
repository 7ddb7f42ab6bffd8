// The fields of a key that can be changed later.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field, fieldError } from '../../parts/field.tsx'
import { balance } from '../../parts/money.tsx'
import { localText } from '../../parts/time.tsx'

const DAY_MS = 86_400_000
/** Of the choices for its end. */
const DAYS = [7, 30, 90, 365]
const NEVER = ''
const AT = 'at'

type Props = {
  of?: { name: string; month: number; rate: number | undefined; expires: string | undefined }
  isSecret: boolean
  error: unknown
}

export const NameField = ({ of, error }: Omit<Props, 'isSecret'>) => (
  <Field label="Name" help="What it is for, such as the server that uses it" error={fieldError(error, 'name')}>
    {its => (
      <input
        {...its}
        className="input"
        name="name"
        required
        maxLength={120}
        autoComplete="off"
        defaultValue={of?.name}
      />
    )}
  </Field>
)

export function Bounds({ of, isSecret, error }: Props) {
  const { data } = useQuery(balance)
  return (
    <>
      {isSecret && (
        <Field
          label="Monthly budget"
          optional
          help={`For model calls, ${data ? `in ${data.currency}` : 'in the currency of the host'}`}
          error={fieldError(error, 'budget.month')}
        >
          {its => (
            <input
              {...its}
              className="input"
              name="budget"
              type="number"
              min="0"
              step="0.01"
              inputMode="decimal"
              defaultValue={of?.month ? of.month / 100 : undefined}
            />
          )}
        </Field>
      )}
      <Field label="Requests a minute" optional error={fieldError(error, 'rate')}>
        {its => (
          <input
            {...its}
            className="input"
            name="rate"
            type="number"
            min="1"
            step="1"
            inputMode="numeric"
            defaultValue={of?.rate}
          />
        )}
      </Field>
      <Expiry at={of?.expires} error={error} />
    </>
  )
}

function Expiry({ at, error }: { at: string | undefined; error: unknown }) {
  const [chosen, setChosen] = useState(at ? AT : NEVER)
  return (
    <>
      <Field label="Expires" error={chosen === AT ? undefined : fieldError(error, 'expires')}>
        {its => (
          <select
            {...its}
            className="input"
            name="ends"
            value={chosen}
            onChange={event => setChosen(event.target.value)}
          >
            <option value={NEVER}>Never</option>
            {DAYS.map(days => (
              <option key={days} value={days}>{`In ${days} days`}</option>
            ))}
            <option value={AT}>At a time…</option>
          </select>
        )}
      </Field>
      {chosen === AT && (
        <Field label="Time of its end" error={fieldError(error, 'expires')}>
          {its => (
            <input
              {...its}
              className="input"
              name="expires"
              type="datetime-local"
              required
              defaultValue={at && localText(new Date(at))}
            />
          )}
        </Field>
      )}
    </>
  )
}

/** What the fields say; null and 0 are no bound. */
export function boundsOf(form: FormData): { month: number; rate: number | null; expires: string | null } {
  const text = (name: string) => String(form.get(name) ?? '')
  const ends = text('ends')
  const at = ends === AT ? new Date(text('expires')) : new Date(Date.now() + DAY_MS * Number(ends))
  return {
    month: Math.round(100 * Number(text('budget'))),
    rate: text('rate') ? Number(text('rate')) : null,
    expires: ends === NEVER ? null : at.toISOString(),
  }
}
