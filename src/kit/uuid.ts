// UUIDs of version 7: those of similar times are close to each other in an index.
import type { Random } from '../engines/engines.ts'

export function newUuid(random: Random, now: Date): string {
  const bytes = Buffer.from(random.bytes(16))
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The lowest UUID of that time. */
export function lowestUuid(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
