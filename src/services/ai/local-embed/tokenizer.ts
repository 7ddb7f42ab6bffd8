// The tokenizer of the model: the pieces of its vocabulary that make up a text with the highest score. The package
// `@energetic-ai/embeddings` has one as well, which takes quadratic time. A test compares the two.

/** The published file lacks the scores of some pieces with a colon. They count as 0, which is more than other pieces have:
 *  so `:)` is one piece. */
export type Vocabulary = readonly (readonly [piece: string, score: number | null])[]

export type Tokenizer = (text: string) => number[]

/** Stands for a space, and begins every text. */
const SPACE = '\u2581'
/** The first ids are for unknown characters and for control. */
const RESERVED = 6
const UNKNOWN = 0

/** The pieces that begin alike; `id` and `score` are those of the piece that ends here. */
type Node = { id: number | null; score: number; next: Map<string, Node> }

const emptyNode = (): Node => ({ id: null, score: 0, next: new Map() })

function treeOf(vocabulary: Vocabulary): Node {
  const root = emptyNode()
  for (const [id, [text, score]] of vocabulary.entries()) {
    if (id < RESERVED) continue
    let node = root
    for (const character of text) {
      const next = node.next.get(character) ?? emptyNode()
      node.next.set(character, next)
      node = next
    }
    node.id = id
    node.score = score ?? 0
  }
  return root
}

/** Takes linear time: a piece has at most 16 characters. */
export function openTokenizer(vocabulary: Vocabulary): Tokenizer {
  const root = treeOf(vocabulary)

  return text => {
    const characters = [...(SPACE + text.normalize('NFKC').replaceAll(' ', SPACE))]
    const best = new Float64Array(characters.length + 1).fill(Number.NEGATIVE_INFINITY)
    const ids = new Int32Array(characters.length + 1)
    const lengths = new Uint8Array(characters.length + 1)
    best[0] = 0
    for (let at = 0; at < characters.length; at++) {
      const before = best[at] as number
      let hasPiece = false
      let node = root.next.get(characters[at] as string)
      for (let end = at + 1; node; end++) {
        if (node.id !== null) {
          hasPiece = true
          offer(end, before + node.score, node.id, end - at)
        }
        node = end < characters.length ? node.next.get(characters[end] as string) : undefined
      }
      if (!hasPiece) offer(at + 1, before, UNKNOWN, 1)
    }

    /** A longer piece starts earlier and is offered first; of two with the same score the shorter one wins. */
    function offer(end: number, score: number, id: number, length: number): void {
      if (score < (best[end] as number)) return
      best[end] = score
      ids[end] = id
      lengths[end] = length
    }

    const found: number[] = []
    for (let at = characters.length; at > 0; at -= lengths[at] as number) {
      const id = ids[at] as number
      // Unknown characters in a row are one token.
      if (id !== UNKNOWN || found.at(-1) !== UNKNOWN) found.push(id)
    }
    return found.reverse()
  }
}
