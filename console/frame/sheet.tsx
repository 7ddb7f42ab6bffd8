// A screen: its top bar, its content and, beside it, what is open.
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { me } from '../api.ts'
import { CodeButton } from './code.tsx'
import { placeOf } from './place.ts'

/** A screen above this one. */
export type Crumb = { label: string; path: string }
type Props = {
  title: string
  within?: readonly Crumb[] | undefined
  children: ReactNode
  drawer?: ReactNode
  /** What is open, in a column of its own; null if nothing is. */
  pane?: ReactNode
}

export function Sheet({ title, within = [], children, drawer, pane }: Props) {
  const { data } = useQuery(me)
  const org = data?.org ?? ''
  // Going back restores how far this screen was scrolled, and no other one.
  const scrolled = { 'data-scroll-restoration-id': useLocation({ select: one => one.pathname }) }
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
              <Link {...placeOf(org, path)} activeOptions={{ exact: true }}>
                {label}
              </Link>
            </Fragment>
          ))}
          <i aria-hidden="true">/</i>
          <span aria-current="page">{title}</span>
        </nav>
        <CodeButton />
      </div>
      {pane === undefined ? (
        <div className="body" {...scrolled}>
          {children}
        </div>
      ) : (
        <div className="split">
          <div {...scrolled}>{children}</div>
          {pane}
        </div>
      )}
      {drawer}
    </>
  )
}
