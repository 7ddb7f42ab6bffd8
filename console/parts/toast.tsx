// Says what was done. It never asks. An error stays until it is closed, or another screen is opened.
import { useSyncExternalStore } from 'react'
import { Icon } from './icon.tsx'

type Toast = { id: number; text: string; tone?: 'danger' | undefined; undo?: (() => void) | undefined }

const SHOWN_MS = 8_000
let toasts: Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function set(next: Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const remove = (id: number) => set(toasts.filter(one => one.id !== id))

export function toast(text: string, tone?: 'danger', undo?: () => void): void {
  const id = ++last
  set([...toasts, { id, text, tone, undo }])
  if (!tone) setTimeout(() => remove(id), SHOWN_MS)
}

/** Those of the former screen: they would hide what is on the next one. */
export const dropErrors = () => set(toasts.filter(({ tone }) => !tone))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone, undo }) => (
        <div key={id} className="toast" data-tone={tone}>
          <Icon name={tone ? 'alert' : 'ok'} />
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                remove(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
          <button type="button" aria-label="Close" onClick={() => remove(id)}>
            <Icon name="x" small />
          </button>
        </div>
      ))}
    </div>
  )
}
