// The state of a screen is in its address.
import { useNavigate, useSearch } from '@tanstack/react-router'

/** A search parameter; empty if it is absent. Typing replaces the entry of the history, choosing adds one. */
export function useParam(name: string): [value: string, set: (value: string, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const navigate = useNavigate()
  const set = (value: string, replace = false) =>
    void navigate({
      search: ((now: object) => ({ ...now, [name]: value || undefined })) as never,
      replace,
      to: '.',
      resetScroll: false,
    })
  return [search[name] ?? '', set]
}
