import { Icon } from './icon.tsx'

/** Finds in a list by text. `/` focuses it. */
export const Find = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) => (
  <span className="find">
    <Icon name="search" />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={event => onChange(event.target.value)}
    />
    {value === '' && <kbd>/</kbd>}
  </span>
)
