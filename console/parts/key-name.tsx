// Keys are recorded by their id; people know them by their name.
import { useQuery } from '@tanstack/react-query'
import { stoa } from '../api.ts'

/** Of an organisation with more keys, the oldest are shown by their id. */
const NAMES_MAX = 1_000

const names = {
  queryKey: ['keys', 'names'],
  queryFn: async () => {
    const found = new Map<string, string>()
    for await (const { id, name } of stoa.listKeysAll({ limit: 200 })) {
      found.set(id, name)
      if (found.size === NAMES_MAX) break
    }
    return found
  },
}

/** Calls of a signed-in person have no key. */
export function KeyName({ id, none = 'Console' }: { id: string | undefined; none?: string }) {
  const { data } = useQuery(names)
  if (id === undefined) return <span className="muted">{none}</span>
  return <span title={id}>{data?.get(id) ?? id}</span>
}
