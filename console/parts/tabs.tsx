// Screens that belong together. Each has its own address, so that they are links.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { me } from '../api.ts'
import { placeOf } from '../frame/place.ts'

export function Tabs({ label, of }: { label: string; of: readonly (readonly [path: string, label: string])[] }) {
  const { data } = useQuery(me)
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a phone the present one may be out of view.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [])
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {of.map(([path, text]) => (
        <Link
          key={path}
          {...placeOf(data?.org ?? '', path)}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {text}
        </Link>
      ))}
    </nav>
  )
}
