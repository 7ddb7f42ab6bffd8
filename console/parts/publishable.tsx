// The key that pages and snippets send events with.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { stoa } from '../api.ts'

const publishable = {
  queryKey: ['keys', 'publishable'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { data } = await stoa.listKeys({ status: 'active', limit: 200 }, { signal })
    return data.find(one => one.type === 'publishable' && one.key) ?? null
  },
}

/** Stands in a snippet for a key that does not exist yet. */
const NO_KEY = 'pk-…'

/** A publishable key of the organisation. It may be in a page, so that a snippet may show it. */
export function usePublishable() {
  const { data } = useQuery(publishable)
  return { key: data?.key ?? NO_KEY, name: data?.name, isMissing: data === null }
}

/** Says which key a snippet has, or where to create one. */
export function PublishableNote() {
  const { org } = useParams({ strict: false }) as { org: string }
  const { name, isMissing } = usePublishable()
  const link = (
    <Link to="/o/$org/$" params={{ org, _splat: 'keys' }} search={(isMissing ? { open: 'new' } : {}) as never}>
      {isMissing ? 'Create a publishable key' : 'API keys'}
    </Link>
  )
  if (isMissing) {
    return (
      <p className="muted">
        {link} and put it in the place of <code>{NO_KEY}</code>. It only sends events, so that it may be in a page.
      </p>
    )
  }
  return (
    <p className="muted">
      The key is {name ? `“${name}”` : 'a publishable one'} of your {link}. It only sends events, so that it may be in a
      page.
    </p>
  )
}
