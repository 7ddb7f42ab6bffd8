// Keys that work on every screen. Single keys rest while a field has focus.
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { services } from '../services/services.ts'

const GO_MS = 1_500
const destinations = new Map(
  services.flatMap(one => one.entries).flatMap(({ key, path }) => (key ? [[key, path]] : [])),
)

export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

export function useKeys(openPalette: () => void): void {
  const navigate = useNavigate()
  const { org } = useParams({ strict: false }) as { org: string }
  useEffect(() => {
    let goneAt = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        openPalette()
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const path = event.timeStamp - goneAt < GO_MS ? destinations.get(event.key) : undefined
      goneAt = event.key === 'g' ? event.timeStamp : 0
      if (path) void navigate({ to: '/o/$org/$', params: { org, _splat: path } })
      if (event.key === '/') {
        const find = document.querySelector<HTMLInputElement>('.find input')
        if (find) event.preventDefault()
        find?.focus()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, org, openPalette])
}
