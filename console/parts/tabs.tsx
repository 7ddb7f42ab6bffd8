// Screens that belong together. Each has its own address, so that they are links.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { me } from '../api.ts'

export function Tabs({ label, of }: { label: string; of: readonly (readonly [path: string, label: string])[] }) {
  const { data } = useQuery(me)
  return (
    <nav className="tabs" aria-label={label}>
      {of.map(([path, text]) => (
        <Link
          key={path}
          to="/o/$org/$"
          params={{ org: data?.org ?? '', _splat: path }}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
