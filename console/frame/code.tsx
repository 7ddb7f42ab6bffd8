// Each view can be copied as the call behind it: the screen says which one it is, and the top bar shows it.
import { useEffect, useId, useSyncExternalStore } from 'react'
import { CodeBlock } from '../parts/code.tsx'
import { Icon } from '../parts/icon.tsx'
import { isTyping } from './keys.ts'
import { type Search, stringifySearch } from './search.ts'

type Call = { operation: string; method: string; path: string; input: Record<string, unknown> }

let current: Call | null = null
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
function set(call: Call | null): void {
  current = call
  for (const listener of listeners) listener()
}

/** The call behind a screen, with its filters. The path has the names of its fields: `/v1/projects/{slug}`. */
export function useCode(operation: string, method: string, path: string, input: Record<string, unknown>): void {
  const text = JSON.stringify(input)
  useEffect(() => {
    set({ operation, method, path, input: JSON.parse(text) })
    return () => set(null)
  }, [operation, method, path, text])
}

export function CodeButton() {
  const call = useSyncExternalStore(subscribe, () => current)
  const id = useId()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'c' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      document.getElementById(id)?.togglePopover()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [id])
  if (!call) return null
  return (
    <>
      <button
        type="button"
        className="btn s icon-only"
        data-kind="quiet"
        aria-label="Copy as code"
        title="Copy this view as code (c)"
        popoverTarget={id}
      >
        <Icon name="code" />
      </button>
      <div className="menu code-menu" id={id} popover="auto">
        <CodeBlock
          samples={[
            { name: 'curl', code: curlOf(call) },
            { name: 'TypeScript', code: scriptOf(call) },
          ]}
        />
      </div>
    </>
  )
}

function curlOf({ method, path, input: { ...input } }: Call): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(input[name]))
    delete input[name]
    return value
  })
  const head = `curl "${location.origin}${filled}`
  const key = '-H "Authorization: Bearer $STOA_KEY"'
  if (method === 'GET') {
    const query = stringifySearch(input as Search)
    return `${head}${query}" \\\n  ${key}`
  }
  return `${head}" -X ${method} \\\n  ${key} \\\n  --json '${JSON.stringify(input).replaceAll("'", "'\\''")}'`
}

const scriptOf = ({ operation, input }: Call) => `import { createStoa } from 'stoa-client'

const stoa = createStoa({ baseUrl: '${location.origin}', key: process.env.STOA_KEY })
console.log(await stoa.${operation}(${JSON.stringify(input)}))`
