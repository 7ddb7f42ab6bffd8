// What a search finds of a customer: the address, its domain, and the words of the name, by their beginnings.

export type Searched = { user: string; email: string; name: string; blocked: boolean }

const TERM_CHARS_MAX = 100
const WORDS_MAX = 8

/** As it is searched for and stored. The database would not change the case of every letter, which depends on its locale. */
export const searchable = (text: string): string => text.normalize('NFKC').toLowerCase()

export function termsOf({ email, name }: Pick<Searched, 'email' | 'name'>): string[] {
  const words = searchable(name)
    .split(/\s+/)
    .filter(word => word !== '')
  const terms = [email, email.slice(email.indexOf('@')), ...words.slice(0, WORDS_MAX)]
  return [...new Set(terms.map(term => term.slice(0, TERM_CHARS_MAX)))]
}
