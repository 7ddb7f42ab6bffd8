// Keys that work on every screen. Single keys rest while a field has focus.
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { services } from '../services/services.ts'
import { placeOf } from './place.ts'

const GO_MS = 1_500
const destinations = new Map(
  services.flatMap(one => one.entries).flatMap(({ key, path }) => (key ? [[key, path]] : [])),
)

export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

export function useKeys(org: string, openPalette: () => void): void {
  const navigate = useNavigate()
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        openPalette()
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const path = event.timeStamp - goneAt < GO_MS ? destinations.get(event.key) : undefined
      goneAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (path) void navigate(placeOf(org, path))
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
