// A field of a form: its label, help, and what is wrong with it.
import { type ReactNode, useId } from 'react'
import { StoaApiError } from '../../client/stoa.js'
import { Icon } from './icon.tsx'

type Props = {
  label: string
  help?: string
  optional?: boolean
  error?: string | undefined
  children: (attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode
}

export function Field({ label, help, optional = false, error, children }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {optional && <span className="opt">optional</span>}
      </label>
      {children({ id, 'aria-describedby': `${id}-says`, 'aria-invalid': error !== undefined })}
      <div id={`${id}-says`}>
        {error === undefined ? (
          help && <span className="help">{help}</span>
        ) : (
          <span className="error-text" role="alert">
            <Icon name="alert" small />
            {error}
          </span>
        )}
      </div>
    </div>
  )
}

/** What the host says of a field, by its path: `budget.month`. */
export function fieldError(error: unknown, path: string): string | undefined {
  if (!(error instanceof StoaApiError)) return undefined
  const says = error.fields.find(one => one.path === path)?.says
  return says && `${says[0]?.toUpperCase()}${says.slice(1)}.`
}
