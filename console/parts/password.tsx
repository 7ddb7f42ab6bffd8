import type { Control } from './form.tsx'

/** A password, for password managers: the current one, or one that is chosen. */
export const password =
  (kind: 'current-password' | 'new-password'): Control =>
  ({ value, set, schema, choices: _, ...its }) => (
    <input
      {...its}
      type="password"
      className="input"
      required
      minLength={schema.minLength}
      maxLength={schema.maxLength}
      autoComplete={kind}
      value={value === undefined ? '' : String(value)}
      onChange={event => set(event.target.value)}
    />
  )
