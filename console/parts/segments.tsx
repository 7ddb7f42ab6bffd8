/** A choice between few views of the same content. */
export const Segments = <Value extends string>({
  label,
  options,
  chosen,
  onChoose,
}: {
  label: string
  options: readonly (readonly [Value, string])[]
  chosen: Value
  onChoose: (value: Value) => void
}) => (
  <span className="seg" role="group" aria-label={label}>
    {options.map(([value, text]) => (
      <button key={value} type="button" aria-pressed={chosen === value} onClick={() => onChoose(value)}>
        {text}
      </button>
    ))}
  </span>
)
