// Times in the reader's zone and language: relative within a day, the date before.
import { useEffect, useState } from 'react'

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const sameYear = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const otherYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const relative = new Intl.RelativeTimeFormat(undefined, { style: 'narrow' })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function timeText(at: Date, now: Date): string {
  const past = now.getTime() - at.getTime()
  if (Math.abs(past) < MINUTE) return 'just now'
  const sign = past > 0 ? -1 : 1
  if (Math.abs(past) < HOUR) return relative.format(sign * Math.floor(Math.abs(past) / MINUTE), 'minute')
  if (Math.abs(past) < DAY) return relative.format(sign * Math.floor(Math.abs(past) / HOUR), 'hour')
  return (at.getFullYear() === now.getFullYear() ? sameYear : otherYear).format(at)
}

/** A sentence of the host, with its times in the reader's zone. */
export const withTimes = (sentence: string) => sentence.replaceAll(ISO, at => full.format(new Date(at)))

const ISO = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

export function Time({ at, none = '—' }: { at: string | undefined; none?: string }) {
  const now = useNow()
  if (at === undefined) return <span className="zero">{none}</span>
  const date = new Date(at)
  return (
    <time dateTime={at} title={full.format(date)}>
      {timeText(date, now)}
    </time>
  )
}

/** As a field for a local time wants it. */
export const localText = (at: Date) =>
  new Date(at.getTime() - MINUTE * at.getTimezoneOffset()).toISOString().slice(0, 16)

function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), MINUTE)
    return () => clearInterval(timer)
  }, [])
  return now
}
