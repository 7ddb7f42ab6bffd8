// Templates of composed queries. The same combination always returns the same template: the driver caches each one it has
// seen, along with its stack.

type Known = { template: TemplateStringsArray | null; next: Map<unknown, Known> }
const newKnown = (): Known => ({ template: null, next: new Map() })

export function openTemplates(): { of(path: readonly unknown[], make: () => string[]): TemplateStringsArray } {
  const known = newKnown()
  return {
    of: (path, make) => {
      let at = known
      for (const step of path) {
        const next = at.next.get(step) ?? newKnown()
        at.next.set(step, next)
        at = next
      }
      if (at.template === null) {
        const strings = make()
        at.template = Object.assign(strings, { raw: strings })
      }
      return at.template
    },
  }
}
