// A sample of the text of a stream, from which its tokens are counted: every n-th piece, spread over all of it, because
// its beginning may have no text at all. A stream keeps little, because there are a thousand, and because many
// clients that disconnect at the same time must not hold up others while their text is counted.
import { countText } from '../tokens.ts'
import { textIn } from './texts.ts'

const KEPT_BYTES_MAX = 32 * 1024
const KEPT_BYTES_MIN = 4 * 1024
/** Longer pieces are processed immediately. */
const LONG_BYTES = 4 * 1024
/** After so many pieces, only every second one is read. */
const LONG_READ = 64
/** The characters kept of the text of each. */
const LONG_KEPT = 256
const LONG_KEPT_MAX = 8 * 1024
const BYTES_PER_TOKEN = 4

export type Sample = {
  /** The bytes of whole events. */
  add(bytes: Buffer): void
  /** How many bytes were added. */
  bytes(): number
  /** The tokens of the text in all that was added. */
  count(): Promise<number>
  /** An estimate of the same, without counting. */
  soFar(): number
}

export function openSample(): Sample {
  const long = { seen: 0, read: 0, each: 1, bytes: 0, total: 0, kept: '' }
  let kept: Buffer = Buffer.alloc(0)
  let lengths: number[] = []
  let [size, seen, each, total] = [0, 0, 1, 0]

  function addLong(bytes: Buffer): void {
    long.total += bytes.length
    if (long.seen++ % long.each !== 0) return
    const text = textIn(bytes)
    long.bytes += long.each * Buffer.byteLength(text)
    if (long.kept.length < LONG_KEPT_MAX) long.kept += text.slice(0, LONG_KEPT)
    if (++long.read % LONG_READ === 0) long.each *= 2
  }

  /** Extrapolates the tokens per byte of the kept text. */
  const countLong = async () =>
    long.kept === '' ? 0 : ((await countText(long.kept)) * long.bytes) / Buffer.byteLength(long.kept)

  /** Drops every second piece. */
  function thin(): void {
    let [from, to] = [0, 0]
    for (const [at, length] of lengths.entries()) {
      if (at % 2 === 0) {
        kept.copyWithin(to, from, from + length)
        to += length
      }
      from += length
    }
    lengths = lengths.filter((_, at) => at % 2 === 0)
    size = to
    each *= 2
  }

  /** The share of text in the bytes of events. Measured again until it hardly changes. */
  let share = { of: 0, text: 0 }
  function textShare(): number {
    if (size > 2 * share.of) share = { of: size, text: Buffer.byteLength(textIn(kept.subarray(0, size))) }
    return share.of === 0 ? 0 : share.text / share.of
  }

  return {
    soFar: () => Math.ceil(((total - long.total) * textShare() + long.bytes) / BYTES_PER_TOKEN),
    add: bytes => {
      total += bytes.length
      if (bytes.length > LONG_BYTES) return addLong(bytes)
      const at = seen++
      if (at % each === 0 && size + bytes.length > KEPT_BYTES_MAX) thin()
      if (at % each !== 0) return
      // Copied, because a small piece of its own would take several times its size, and live as long as the stream.
      if (size + bytes.length > kept.length) kept = grown(kept, size + bytes.length)
      size += bytes.copy(kept, size)
      lengths.push(bytes.length)
    },
    bytes: () => total,
    count: async () => {
      const text = textIn(kept.subarray(0, size))
      kept = Buffer.alloc(0)
      const counted = await countText(text)
      return Math.ceil((counted * seen) / Math.max(lengths.length, 1) + (await countLong()))
    },
  }
}

function grown(kept: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES_MIN, kept.length * 2, size))
  kept.copy(larger)
  return larger
}
