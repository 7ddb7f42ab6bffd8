// The five events of elements. They say which element it was, never what is in it.
import { cleanAddress } from './facts.ts'
import { listen, type Properties, safe } from './settings.ts'

type Capture = (event: string, properties: Properties) => void

/** What is never recorded, nor anything inside it. */
const PRIVATE =
  '[data-stoa-private],[type=password],[autocomplete*=password],[contenteditable]:not([contenteditable=false])'
const NAMED = 'a,button,summary,input,select,textarea,[role=button],[data-stoa]'
const SEEN = 'form,dialog,[data-stoa]'
const SCAN_MS = 500

// A form's fields hide its properties: `form.id` may be an input.
const { getAttribute, matches } = Element.prototype
const attribute = (element: Element, name: string) => getAttribute.call(element, name) ?? undefined
const tagOf = ({ localName }: Element) => (typeof localName === 'string' ? localName : 'form')

function describe(element: Element, path: readonly Element[]): Properties {
  const of = (name: string) => attribute(element, name)
  const place = path.slice(path.indexOf(element)).map(tagOf)
  return {
    $el_tag: tagOf(element),
    $el_label: of('data-stoa'),
    $el_id: of('id'),
    $el_name: of('name'),
    $el_type: of('type'),
    $el_role: of('role'),
    $el_href: cleanAddress(of('href') ?? ''),
    $el_path: place.reverse().join('>'),
  }
}

function pathOf(start: EventTarget[]): Element[] {
  const path = start.filter(one => one instanceof Element)
  return path.some(one => matches.call(one, PRIVATE)) ? [] : path
}

export function recordElements(capture: Capture): void {
  /** The field in which somebody types: that is one event, not one for each key. */
  let typing: Element | undefined
  for (const type of ['click', 'input', 'change', 'submit']) {
    listen(document, type, event => {
      const path = pathOf(event.composedPath())
      const element = (type === 'click' && path.find(one => matches.call(one, NAMED))) || path[0]
      if (!element || (type === 'input' && element === typing)) return
      typing = type === 'input' ? element : undefined
      capture(`$${type}`, describe(element, path))
    })
  }
}

/** Once for each element, when a quarter of it is visible. Returns what begins again on another page. */
export function recordViews(capture: Capture): () => void {
  let known = new WeakSet<Element>()
  let timer = 0
  const seen = new IntersectionObserver(
    safe(found => {
      for (const { isIntersecting, target } of found) {
        if (!isIntersecting) continue
        seen.unobserve(target)
        const path: Element[] = []
        for (let one: Element | null = target; one; one = one.parentElement) path.push(one)
        if (pathOf(path).length > 0) capture('$view', describe(target, path))
      }
    }),
    { threshold: 0.25 },
  )
  const scan = safe(() => {
    timer = 0
    for (const one of document.querySelectorAll(SEEN)) {
      if (known.has(one)) continue
      known.add(one)
      seen.observe(one)
    }
  })
  const scanSoon = () => {
    if (timer === 0) timer = window.setTimeout(scan, SCAN_MS)
  }
  scanSoon()
  new MutationObserver(scanSoon).observe(document, { childList: true, subtree: true })
  return () => {
    known = new WeakSet()
    seen.disconnect()
    scanSoon()
  }
}
