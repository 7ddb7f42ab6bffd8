// A screen: its top bar, its content and, beside it, what is open.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { me } from '../api.ts'
import { CodeButton } from './code.tsx'

/** A screen above this one; its path is below the organisation. */
export type Crumb = { label: string; path: string }
type Props = { title: string; within?: readonly Crumb[] | undefined; children: ReactNode; drawer?: ReactNode }

export function Sheet({ title, within = [], children, drawer }: Props) {
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
          {within.map(({ label, path }) => (
            <Fragment key={path}>
              <i aria-hidden="true">/</i>
              <Link to="/o/$org/$" params={{ org, _splat: path }}>
                {label}
              </Link>
            </Fragment>
          ))}
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
