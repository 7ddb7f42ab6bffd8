/** Counts as bars, without axes: a table or a figure beside them says how many there are. */
type Props = { counts: number[]; className?: string; max?: number }

export function Bars({ counts, className, max = Math.max(1, ...counts) }: Props) {
  const width = 100 / counts.length
  return (
    <svg className={className} viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      {counts.map((count, n) => {
        const height = count === 0 ? 0 : Math.max(2, (30 * count) / max)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
            key={n}
            className="br"
            x={n * width}
            y={30 - height}
            width={0.72 * width}
            height={height}
          />
        )
      })}
    </svg>
  )
}
