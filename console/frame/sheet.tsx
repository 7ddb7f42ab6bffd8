// A screen: its top bar, its content and, beside it, what is open.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { me } from '../api.ts'
import { CodeButton } from './code.tsx'

export function Sheet({ title, children, drawer }: { title: string; children: ReactNode; drawer?: ReactNode }) {
  const { data } = useQuery(me)
  const org = data?.org ?? ''
  const name = data?.orgs.find(one => one.org === org)?.name ?? org
  return (
    <>
      <div className="topbar">
        <nav className="crumbs" aria-label="Breadcrumb">
          <Link to="/o/$org/$" params={{ org, _splat: 'home' }}>
            {name}
          </Link>
          <i aria-hidden="true">/</i>
          <span aria-current="page">{title}</span>
        </nav>
        <CodeButton />
      </div>
      <div className="body">{children}</div>
      {drawer}
    </>
  )
}
