/** A filter with too many choices for segments. The first choice is without it. */
export const Filter = ({
  label,
  options,
  chosen,
  onChoose,
}: {
  label: string
  options: readonly (readonly [value: string, text: string])[]
  chosen: string
  onChoose: (value: string) => void
}) => (
  <label className="chip" data-set={chosen === '' ? undefined : ''}>
    <span>{label}</span>
    <select value={chosen} onChange={event => onChoose(event.target.value)}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
