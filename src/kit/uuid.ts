// UUIDs of version 7: those of similar times are close to each other in an index.
import { hash } from 'node:crypto'
import type { Random } from '../engines/engines.ts'

export const newUuid = (random: Random, now: Date): string => uuidFrom(Buffer.from(random.bytes(16)), now)

/** The same UUID for the same name and time. */
export const uuidOf = (name: string, at: Date): string => uuidFrom(hash('sha256', name, 'buffer').subarray(0, 16), at)

function uuidFrom(bytes: Buffer, at: Date): string {
  bytes.writeUIntBE(at.getTime(), 0, 6)
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
