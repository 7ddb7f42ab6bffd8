// The newest errors, grouped by their fingerprint.
import type { CapturedError } from '../../../client/stoa.js'

export type Group = {
  fingerprint: string
  /** Newest first. */
  errors: [CapturedError, ...CapturedError[]]
}

/** In the order of the newest error of each. */
export function groupsOf(errors: CapturedError[]): Group[] {
  const groups = new Map<string, Group>()
  for (const error of errors) {
    const group = groups.get(error.fingerprint)
    if (group) group.errors.push(error)
    else groups.set(error.fingerprint, { fingerprint: error.fingerprint, errors: [error] })
  }
  return [...groups.values()]
}

export const typeOf = ({ exception, event }: CapturedError) => exception.type ?? event
export const messageOf = ({ exception }: CapturedError) => exception.message ?? 'No message'

/** The innermost frame of the program's own code. */
export function placeOf({ exception: { frames } }: CapturedError): string {
  const frame = frames.find(one => one.inApp) ?? frames[0]
  return [frame?.function, frame?.file].filter(Boolean).join(' · ')
}

export const peopleOf = ({ errors }: Group) => new Set(errors.flatMap(({ distinctId }) => distinctId ?? [])).size
export const firstOf = ({ errors }: Group) => errors.at(-1) ?? errors[0]
export const releasesOf = ({ errors }: Group) => [...new Set(errors.flatMap(({ release }) => release ?? []))]

/** How many of them fall into each of the parts of a time. */
export function histogram(errors: CapturedError[], from: number, to: number, parts: number): number[] {
  const counts = Array<number>(parts).fill(0)
  const width = Math.max(1, to - from) / parts
  for (const { timestamp } of errors) {
    const at = Math.min(parts - 1, Math.max(0, Math.floor((Date.parse(timestamp) - from) / width)))
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}
