// Finds the domain that covers a name: the name itself, or the nearest of its parents that is a member.
import { domainFrom } from './domain.ts'
import { mix, openProbe, type TextHash } from './text-hash.ts'

const DOT = 0x2e

export function openDomains(data: TextHash): (key: string) => number {
  const probe = openProbe(data)
  return key => {
    const name = domainFrom(key)
    if (name === null) return -2
    let hash = data.seed
    let found = -1
    let isAboveTop = false
    for (let at = name.length - 1; at >= 0; at--) {
      const code = name.charCodeAt(at)
      if (code === DOT) {
        // A member has two labels or more, so there is nothing to find at the first dot from the right.
        const parent = isAboveTop ? probe(hash, name, at + 1) : -1
        if (parent >= 0) found = parent
        isAboveTop = true
      }
      hash = mix(hash, code)
    }
    const itself = probe(hash, name, 0)
    return itself >= 0 ? itself : found
  }
}
