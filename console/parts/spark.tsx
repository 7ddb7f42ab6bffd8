// The form of a series in a tile, without axes.
const WIDTH = 100
const HEIGHT = 30

export function Spark({ values, label }: { values: number[]; label: string }) {
  const max = Math.max(...values, 0)
  if (values.length < 2 || max === 0) return null
  const points = values.map(
    (value, n) => `${((WIDTH * n) / (values.length - 1)).toFixed(1)} ${(HEIGHT - (HEIGHT * value) / max).toFixed(1)}`,
  )
  const line = `M${points.join('L')}`
  return (
    <svg
      className="spark s1"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className="ar" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}z`} />
      <path className="ln" d={line} />
    </svg>
  )
}
