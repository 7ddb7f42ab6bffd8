// The format of a key: `sk-` or `pk-`, 43 random letters and digits (256 bits), and 6 check digits, so that a mistyped
// key is refused without a look-up and secret scanners can recognise keys.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Random } from '../../engines/engines.ts'

export type KeyType = 'secret' | 'publishable'

const PREFIXES = { secret: 'sk-', publishable: 'pk-' }
const FORMAT = /^[ps]k-[0-9A-Za-z]{49}$/
const SECRET_LENGTH = 43
const CHECK_LENGTH = 6
/** Long enough to distinguish keys in a listing, far too short to guess one. */
const PREFIX_LENGTH = 11
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newKeyText(random: Random, type: KeyType): string {
  const body = PREFIXES[type] + random.token(SECRET_LENGTH)
  return body + checkDigits(body)
}

export function isWellFormed(text: string): boolean {
  return FORMAT.test(text) && checkDigits(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)
}

export const prefixOf = (text: string): string => text.slice(0, PREFIX_LENGTH)

/** In hex, as in the database's notifications. */
export const digestOf = (text: string): string => hash('sha256', text)

function checkDigits(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let i = 0; i < CHECK_LENGTH; i++) {
    digits = DIGITS[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
