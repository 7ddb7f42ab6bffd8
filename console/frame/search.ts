// The state of a screen is in its address.
import { useNavigate, useSearch } from '@tanstack/react-router'

/** Search parameters are plain texts: `?open=key_1`, not JSON. A repeated one is a list. */
export type Search = Record<string, string | string[] | undefined>

export function parseSearch(text: string): Search {
  const sent = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(sent.keys())].map(name => {
      const all = sent.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    }),
  )
}

export function stringifySearch(search: Search): string {
  const set = Object.entries(search).flatMap(([name, value]) => [value ?? []].flat().map(one => [name, one]))
  const text = new URLSearchParams(set.filter(([, one]) => one !== '') as [string, string][]).toString()
  return text ? `?${text}` : ''
}

/** Several search parameters. What is undefined is left out. Typing replaces the entry of the history, choosing adds one. */
export function useAddress(): [search: Search, change: (part: Search, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = (part: Search, replace = false) =>
    void navigate({ search: ((now: object) => ({ ...now, ...part })) as never, replace, to: '.', resetScroll: false })
  return [search, change]
}

/** A search parameter; empty if it is absent. */
export function useParam(name: string): [value: string, set: (value: string, replace?: boolean) => void] {
  const [search, change] = useAddress()
  return [[search[name] ?? ''].flat().at(-1) ?? '', (value, replace) => change({ [name]: value || undefined }, replace)]
}
