// The search terms of a customer: the address, its domain, and the words of the name. A search matches their beginnings.

export type Searched = { user: string; email: string; name: string; blocked: boolean }

const TERM_CHARS_MAX = 100
const WORDS_MAX = 8

/** The form for searching and storing. The case is changed here, because the database's result depends on its locale. */
export const searchable = (text: string): string => text.normalize('NFKC').toLowerCase()

/** `shared` is how many characters it has in common with the previous term, which a search for those characters finds. */
export type Term = { term: string; shared: number }

export function termsOf({ email, name }: Pick<Searched, 'email' | 'name'>): Term[] {
  const words = searchable(name)
    .split(/\s+/)
    .filter(word => word !== '')
  const terms = [email, email.slice(email.indexOf('@')), ...words.slice(0, WORDS_MAX)]
  const sorted = [...new Set(terms.map(term => term.slice(0, TERM_CHARS_MAX)))].sort()
  return sorted.map((term, at) => ({ term, shared: sharedLength(sorted[at - 1] ?? '', term) }))
}

/** In characters, as the database counts them. */
export const charactersIn = (text: string): number => [...text].length

function sharedLength(before: string, term: string): number {
  const [one, other] = [[...before], [...term]]
  const differs = one.findIndex((character, at) => character !== other[at])
  return differs < 0 ? one.length : differs
}
