// The logo and the colour of pages and mails for customers: those of an organisation, and of an app that has its own.
import { invalidField } from '../../kit/check.ts'
import { string } from '../../kit/fields.ts'

const LOGO_BYTES_MAX = 32 * 1024
/** More than the bytes take in base64, so that a slightly too large logo is rejected with the limit in bytes. */
const LOGO_CHARS_MAX = 200_000
const EXAMPLE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** `without` says what null stands for. */
export const logo = (without: string) =>
  string(
    `The logo, as a data URL in base64 of a PNG, JPEG, WebP or SVG image of at most ${LOGO_BYTES_MAX / 1024} KiB; null for ${without}`,
    EXAMPLE,
    { maxLength: LOGO_CHARS_MAX },
  )

export const color = (without: string) =>
  string(
    `\`#\` and six hex digits, such as \`#1d4f91\`: the colour of buttons and links; null for ${without}. Where the contrast with the page is too low, it is made darker or lighter`,
    '#1d4f91',
    { pattern: '^#[0-9a-f]{6}$' },
  )

/** Rejects a logo whose bytes are not such an image. */
export function requireImage(logo: string | null | undefined): void {
  if (typeof logo !== 'string' || isImage(logo)) return
  throw invalidField(
    'logo',
    `must be \`data:image/png;base64,…\` (or jpeg, webp, svg+xml) with the bytes of such an image, at most ${LOGO_BYTES_MAX / 1024} KiB`,
  )
}

/** How the bytes of each kind begin. An SVG image is a text, which browsers show in an `img` without running its scripts. */
const KINDS: Record<string, (bytes: Buffer) => boolean> = {
  png: bytes => bytes.subarray(0, 8).toString('hex') === '89504e470d0a1a0a',
  jpeg: bytes => bytes.subarray(0, 3).toString('hex') === 'ffd8ff',
  webp: bytes => bytes.subarray(0, 4).toString() === 'RIFF' && bytes.subarray(8, 12).toString() === 'WEBP',
  'svg+xml': bytes => bytes.toString('utf8').includes('<svg'),
}

function isImage(url: string): boolean {
  const [, kind = '', base64 = ''] = url.match(/^data:image\/([a-z+]{1,10});base64,([A-Za-z0-9+/]+={0,2})$/) ?? []
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length > 0 && bytes.length <= LOGO_BYTES_MAX && (KINDS[kind]?.(bytes) ?? false)
}
