// Password hashes from other systems, in the export formats of Auth0, Firebase, Supabase and Keycloak. Each is stored as
// one text that names its format, after a mark: `$imported$2b$…`. Verification costs what the parameters demand, so they
// are bounded.
import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify } from '@node-rs/argon2'
import type { Adopted, FirebaseParameters, ForeignHash } from '../engines.ts'

const MARK = '$imported'

export const isImported = (digest: string): boolean => digest.startsWith(`${MARK}$`)

/** A stored hash in the format that other systems and `adopt` use. */
export const withoutMark = (digest: string): string => (isImported(digest) ? digest.slice(MARK.length) : digest)

/** At most about 0.6 s of one core each, which is what current versions of those systems take. */
const BCRYPT_COST_MAX = 13
/** Limits on memory, and on memory times passes. */
const ARGON2_MAX = { kibibytes: 128 * 1024, kibibytesInAll: 512 * 1024, lanes: 16 }
const SCRYPT_BYTES_MAX = 64 * 1024 * 1024

/** A shorter hash is invalid, and a longer one costs more than its parameters say. */
const isHash = ({ length }: Buffer) => length >= 16 && length <= 64
const isSalt = ({ length }: Buffer) => length <= 256

type Form = { isCostly: boolean; matches: (password: string) => Promise<boolean> }

export function adoptHash(foreign: ForeignHash): Adopted {
  const text = textOf(foreign)
  const form = text === null ? null : formOf(text)
  if (!form)
    return {
      problem:
        'has an unknown format: `$2b$…`, `$argon2id$…` and `$scrypt$…` name theirs, and base64 needs `algorithm` with its fields (`salt`, `iterations`, `memory`; `firebase` next to `users`)',
    }
  return form.isCostly ? { problem: 'has parameters that make it too expensive to verify' } : { digest: MARK + text }
}

/** The other system hashed the text as typed. Another Stoa hashed its NFKC form, with argon2. */
export async function verifyImported(digest: string, password: string): Promise<boolean> {
  const form = formOf(withoutMark(digest))
  if (!form) throw new Error('a stored password hash has an unknown format')
  if (await form.matches(password)) return true
  const normal = password.normalize('NFKC')
  return normal !== password && isArgon2(withoutMark(digest)) && form.matches(normal)
}

const isArgon2 = (text: string) => /^\$argon2(id|i|d)\$/.test(text)

type Pbkdf2 = { digest: string; bytes: number; iterationsMax: number }

/** By Keycloak's names. */
const PBKDF2: ReadonlyMap<string, Pbkdf2> = new Map([
  ['pbkdf2', { digest: 'sha1', bytes: 20, iterationsMax: 1_400_000 }],
  ['pbkdf2-sha256', { digest: 'sha256', bytes: 32, iterationsMax: 700_000 }],
  ['pbkdf2-sha512', { digest: 'sha512', bytes: 64, iterationsMax: 600_000 }],
])

function formOf(text: string): Form | null {
  const [, id = '', ...parts] = text.split('$')
  if (id === '2a' || id === '2b') return bcryptForm(text)
  if (/^argon2(id|i|d)$/.test(id)) return argon2Form(text, parts)
  const salt = bytesIn(parts[1])
  const hash = bytesIn(parts[2])
  if (parts.length !== 3 || !salt || !hash || !isSalt(salt) || !isHash(hash)) return null
  if (id === 'scrypt' || id === 'firebase-scrypt') return scryptForm(id, parts[0], salt, hash)
  const algorithm = PBKDF2.get(id)
  return algorithm ? pbkdf2Form(algorithm, parts[0], salt, hash) : null
}

/** The last characters of salt and hash have unused bits, which must be 0. */
const BCRYPT = /^\$2[ab]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/

function bcryptForm(text: string): Form | null {
  const cost = Number(text.match(BCRYPT)?.[1])
  if (!(cost >= 4 && cost <= 31)) return null
  const matches = async (password: string) => {
    const { default: bcrypt } = await import('bcrypt') // Loaded with the first hash of this format.
    return bcrypt.compare(password, text)
  }
  return { isCostly: cost > BCRYPT_COST_MAX, matches }
}

function argon2Form(text: string, [version, parameters, saltText, hashText, ...rest]: string[]): Form | null {
  const found = parametersIn(parameters, ['m', 't', 'p'])
  const salt = bytesIn(saltText)
  const hash = bytesIn(hashText)
  if (!found || !salt || !hash || rest.length > 0 || (version !== 'v=19' && version !== 'v=16')) return null
  const [kibibytes = 0, passes = 0, lanes = 0] = found
  const isValid = passes >= 1 && lanes >= 1 && kibibytes >= 8 * lanes && isHash(hash) && isSalt(salt)
  if (!isValid || salt.length < 8) return null
  const { kibibytes: most, kibibytesInAll, lanes: lanesMax } = ARGON2_MAX
  const isCostly = kibibytes > most || kibibytes * passes > kibibytesInAll || lanes > lanesMax
  return { isCostly, matches: password => verify(text, password) }
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

function scryptForm(id: string, parameters: string | undefined, salt: Buffer, hash: Buffer): Form | null {
  const [ln = 0, r = 0, p = 0] = parametersIn(parameters, ['ln', 'r', 'p']) ?? []
  if (ln < 1 || ln > 31 || r < 1 || p < 1 || ln >= 16 * r) return null // RFC 7914.
  const matches = async (password: string) => {
    const options = { N: 2 ** ln, r, p, maxmem: 2 * SCRYPT_BYTES_MAX }
    if (id === 'scrypt') return timingSafeEqual(await derive(password, salt, hash.length, options), hash)
    return timingSafeEqual(keystream(await derive(password, salt, 32, options), hash.length), hash)
  }
  return { isCostly: 128 * 2 ** ln * r * p > SCRYPT_BYTES_MAX, matches }
}

/** Firebase encrypts the same text for everyone, the project's key, with the derived key. Only the result is stored
 *  here, so that the stored hash does not contain the project's key. */
const keystream = (key: Buffer, length: number): Buffer =>
  createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))

const deriveByIterations = promisify(pbkdf2)

/** A hash longer than the digest has several blocks, each of which costs as much again. The first one is sufficient. */
function pbkdf2Form(
  { digest, bytes, iterationsMax }: Pbkdf2,
  parameters: string | undefined,
  salt: Buffer,
  hash: Buffer,
): Form | null {
  const [iterations = 0] = parametersIn(parameters, ['i']) ?? []
  if (iterations < 1) return null
  const first = hash.subarray(0, bytes)
  const matches = async (password: string) =>
    timingSafeEqual(await deriveByIterations(password, salt, iterations, first.length, digest), first)
  return { isCostly: iterations > iterationsMax, matches }
}

/** The text in a format; null if there is none. */
function textOf(foreign: ForeignHash): string | null {
  const { hash, algorithm = '', salt = '', iterations, firebase } = foreign
  if (hash.startsWith('$')) return ownText(hash)
  const [saltText, hashText] = [plain(salt), plain(hash)]
  if (PBKDF2.has(algorithm)) return `$${algorithm}$i=${iterations}$${saltText}$${hashText}`
  if (algorithm === 'argon2') {
    const { memory, parallelism = 1, type = 'id', version = '1.3' } = foreign
    const cost = `m=${memory},t=${iterations},p=${parallelism}`
    return `$argon2${type}$v=${version === '1.3' ? 19 : 16}$${cost}$${saltText}$${hashText}`
  }
  return algorithm === 'firebase-scrypt' && firebase ? firebaseText(firebase, salt, hash) : null
}

/** Supabase stores imported Firebase hashes with the key of their project. */
const SUPABASE_FIREBASE =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,2}),p=1,ss=([\w+/=-]*),sk=([\w+/=-]+)\$([\w+/=-]+)\$([\w+/=-]+)$/

/** A text that names its format, as stored here. */
function ownText(text: string): string | null {
  if (text.startsWith('$2y$')) return text.replace('$2y$', '$2b$') // PHP's name for the same.
  if (/^\$argon2(id|i|d)\$m=/.test(text)) return ownText(text.replace('$m=', '$v=16$m=')) // Version 16 had no such field.
  if (!text.startsWith('$fbscrypt$')) return text.split('$').map(unpadded).join('$')
  const [, n, r, saltSeparator = '', signerKey = '', salt = '', hash = ''] = text.match(SUPABASE_FIREBASE) ?? []
  return firebaseText({ memCost: Number(n), rounds: Number(r), saltSeparator, signerKey }, salt, hash)
}

function firebaseText(project: FirebaseParameters, saltText: string, hashText: string): string | null {
  const { memCost, rounds, saltSeparator, signerKey } = project
  const [key, salt, hash] = [signerKey, saltText, hashText].map(text => bytesIn(plain(text)))
  const separator = saltSeparator === '' ? Buffer.alloc(0) : bytesIn(plain(saltSeparator))
  if (!key || !salt || !hash || !separator || key.length !== hash.length) return null
  const stream = Buffer.from(hash.map((byte, at) => byte ^ (key[at] as number)))
  return `$firebase-scrypt$ln=${memCost},r=${rounds},p=1$${base64(Buffer.concat([salt, separator]))}$${base64(stream)}`
}

/** `m=65536,t=2,p=1` with exactly these names and plain decimal numbers. */
function parametersIn(text: string | undefined, names: readonly string[]): number[] | null {
  const found = (text ?? '').split(',').map(part => part.match(/^([a-z]+)=(0|[1-9]\d{0,8})$/))
  const fits = found.length === names.length && found.every((one, at) => one?.[1] === names[at])
  return fits ? found.map(one => Number(one?.[2])) : null
}

/** Base64 as stored, without padding; null if invalid. */
function bytesIn(text = ''): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return text !== '' && base64(bytes) === text ? bytes : null
}

const base64 = (bytes: Buffer): string => unpadded(bytes.toString('base64'))
const unpadded = (text: string): string => text.replace(/={1,2}$/, '')

/** Base64 of either alphabet, as stored. */
const plain = (text: string): string => unpadded(text).replaceAll('-', '+').replaceAll('_', '/')
