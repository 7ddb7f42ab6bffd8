// Times of logs: the clock, with the day if it is another one.
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hour12: false })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

export function Clock({ at }: { at: string }) {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return (
    <time className="num" dateTime={at} title={full.format(date)}>
      {isToday ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`}
    </time>
  )
}

/** `12 ms`, `1.84 s`, `2 m 48 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)} m ${seconds % 60} s`
}
