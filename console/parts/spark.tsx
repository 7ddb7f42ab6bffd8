/** The course of a figure, without axes: its values are said elsewhere. */
export function Spark({ values, tone = 's1' }: { values: readonly number[]; tone?: 's1' | 'sd' }) {
  if (values.length < 2) return null
  const top = Math.max(...values, Number.MIN_VALUE)
  const step = 100 / (values.length - 1)
  const line = values.map((value, n) => `${(n * step).toFixed(1)} ${(28 - (26 * value) / top).toFixed(1)}`).join('L')
  return (
    <svg className={`spark ${tone}`} viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      <path className="ar" d={`M${line}L100 30L0 30z`} />
      <path className="ln" d={`M${line}`} />
    </svg>
  )
}

/** A value for each of the last UTC days, the present one last; 0 for those that the host left out. */
export function lastDays<Row extends { day?: string }>(
  rows: readonly Row[],
  count: number,
  figureOf: (row: Row) => number,
): { day: string; value: number }[] {
  const values = new Map(rows.map(row => [row.day, figureOf(row)]))
  const now = Date.now()
  return Array.from({ length: count }, (_, n) => {
    const day = new Date(now - (count - 1 - n) * 86_400_000).toISOString().slice(0, 10)
    return { day, value: values.get(day) ?? 0 }
  })
}
