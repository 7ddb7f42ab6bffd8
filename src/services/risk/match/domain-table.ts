// Finds the domain that covers a host name: the name itself, or its nearest parent that is a member.
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
    let hasPassedTopLevel = false
    for (let at = name.length - 1; at >= 0; at--) {
      const code = name.charCodeAt(at)
      if (code === DOT) {
        // Members have at least two labels, so the top-level domain cannot be one.
        const parent = hasPassedTopLevel ? probe(hash, name, at + 1) : -1
        if (parent >= 0) found = parent
        hasPassedTopLevel = true
      }
      hash = mix(hash, code)
    }
    const itself = probe(hash, name, 0)
    return itself >= 0 ? itself : found
  }
}
