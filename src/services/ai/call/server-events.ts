// Server-sent events of a provider, whole ones in their own bytes.
import type { ServerEvent } from '../translations/translation.ts'

/** Longer events are not valid model output. */
const EVENT_BYTES_MAX = 16 * 1024 * 1024
const LF = 10
const CR = 13

export type Events = {
  /** The bytes of the events that this chunk completes; null if there are none. */
  add(chunk: Buffer): Buffer | null
  /** What follows the last whole one at the end. */
  rest(): Buffer | null
}

export function openEventReader(): Events {
  let rest: Buffer[] = []
  let size = 0
  /** The last bytes of the rest, with which an empty line may begin. */
  let tail: Buffer = Buffer.alloc(0)
  return {
    add: chunk => {
      // Most chunks are whole events.
      if (size === 0 && chunk[chunk.length - 1] === LF && chunk[chunk.length - 2] === LF) return chunk
      const searched = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
      const end = endOfEvents(searched) - tail.length
      const whole = end > 0 ? Buffer.concat([...rest, chunk.subarray(0, end)]) : null
      const left = whole ? chunk.subarray(end) : chunk
      if (whole) rest = [left]
      else rest.push(left)
      size = left.length + (whole ? 0 : size)
      if (size > EVENT_BYTES_MAX) throw new Error('an event of the provider is too long')
      tail = (whole ? left : searched).subarray(-2)
      return whole
    },
    rest: () => (size === 0 ? null : Buffer.concat(rest)),
  }
}

/** Where the last whole event ends: after an empty line; -1 if there is none. */
function endOfEvents(bytes: Buffer): number {
  for (let at = bytes.lastIndexOf(LF); at > 0; at = bytes.lastIndexOf(LF, at - 1)) {
    const before = bytes[at - 1] === CR ? at - 2 : at - 1
    if (before >= 0 && bytes[before] === LF) return at + 1
    if (at === 1) break
  }
  return -1
}

/** The events in the bytes of whole ones. Comments and a byte order mark are left out. */
export function eventsIn(bytes: Buffer): ServerEvent[] {
  const events: ServerEvent[] = []
  let event: string | null = null
  let data: string[] = []
  const add = () => {
    if (data.length > 0) events.push({ event, data: data.join('\n') })
    event = null
    data = []
  }
  for (const line of bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)) {
    if (line === '') add()
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    else if (line.startsWith('event:')) event = line.slice(6).trim()
  }
  add()
  return events
}

export const eventText = ({ event, data }: ServerEvent): string =>
  `${event === null ? '' : `event: ${event}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
