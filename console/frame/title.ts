import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { services } from '../services/services.ts'

const screens = services.flatMap(one => one.screens)

/** The title of the screen, which the tab of the browser shows too. */
export function useTitle(): string {
  const { pathname } = useLocation()
  const path = pathname.replace(/^\/o\/[^/]*\//, '')
  const title = screens.find(one => matches(one.path, path))?.title ?? 'Stoa'
  useEffect(() => {
    document.title = title === 'Stoa' ? title : `${title} · Stoa`
  }, [title])
  return title
}

function matches(pattern: string, path: string): boolean {
  const parts = path.split('/')
  const wanted = pattern.split('/')
  return parts.length === wanted.length && wanted.every((part, n) => part.startsWith('$') || part === parts[n])
}
