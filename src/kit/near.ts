// Finds the names most similar to an unknown name, by the character triples that they share, in linear time.

export type Near = (name: string) => string[]

const NAME_CHARS_MAX = 64
const SUGGESTED_MAX = 3
/** The share of the triples that names must have in common. */
const LIKENESS_MIN = 0.4

export function nearOf(names: readonly string[]): Near {
  const known = names.map(name => ({ name, triples: triplesOf(name) }))
  return given => {
    const asked = triplesOf(given)
    const scored = known.map(({ name, triples }) => ({ name, likeness: likenessOf(asked, triples) }))
    const like = scored.filter(({ likeness }) => likeness >= LIKENESS_MIN)
    like.sort((a, b) => b.likeness - a.likeness)
    return like.slice(0, SUGGESTED_MAX).map(({ name }) => name)
  }
}

/** Dice's coefficient. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0
  for (const triple of one) if (other.has(triple)) shared++
  return (2 * shared) / (one.size + other.size || 1)
}

/** The triples of the words only: all names contain `_v1_`. */
function triplesOf(name: string): Set<string> {
  const words = ` ${name
    .slice(0, NAME_CHARS_MAX)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(isWord)
    .join(' ')} `
  const triples = new Set<string>()
  for (let at = 0; at + 3 <= words.length; at++) triples.add(words.slice(at, at + 3))
  return triples
}

const isWord = (word: string): boolean => word !== '' && word !== 'v1' && word !== 'by'
