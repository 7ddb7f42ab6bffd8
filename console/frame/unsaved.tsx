// What is typed into a form beside a list, or into one with `data-guard`, is not lost by leaving: leaving asks. Saving is a submitted
// form whose change succeeded. The same holds for a secret that is shown once, until it is copied.
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { Dialog } from '../parts/dialog.tsx'

const BESIDE = '.drawer, .pane'
const forms = new Map<HTMLFormElement, 'typed' | 'sent'>()
const secrets = new Set<Element>()

function isUnsaved(within: Element | null = document.body): boolean {
  for (const form of forms.keys()) if (!form.isConnected) forms.delete(form)
  return [...forms.keys(), ...secrets].some(one => within?.contains(one))
}

/** Nothing asks for what is in there any more. */
export function forget(within: Element | null = document.body): void {
  for (const form of forms.keys()) if (within?.contains(form)) forms.delete(form)
  for (const secret of secrets) if (within?.contains(secret)) secrets.delete(secret)
}

/** Asks for that element from now on, until the returned function is called. */
export function keepSecret(secret: Element): () => void {
  const changed = (change: () => unknown) => {
    change()
    for (const listener of listeners) listener()
  }
  changed(() => secrets.add(secret))
  return () => changed(() => secrets.delete(secret))
}

/** A change ended: that of the form which was submitted, if there is one. */
export function settled(isSaved: boolean): void {
  for (const [form, state] of forms) {
    if (state !== 'sent') continue
    if (isSaved) forms.delete(form)
    else forms.set(form, 'typed')
  }
}

let asked: (() => void) | null = null
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
function ask(next: (() => void) | null): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Closes what is there, after asking if it has text that is not saved. */
export function leave(within: Element | null, close: () => void): void {
  const next = () => {
    forget(within)
    close()
  }
  if (isUnsaved(within)) ask(next)
  else next()
}

type Place = { pathname: string; search: unknown }
const openIn = ({ search }: Place) => (search as { open?: string }).open ?? ''

/** Whether going there removes a form with unsaved text. */
function loses(current: Place, next: Place): boolean {
  if (current.pathname !== next.pathname) return isUnsaved()
  return openIn(current) !== openIn(next) && [...document.querySelectorAll(BESIDE)].some(isUnsaved)
}

const formOf = ({ target }: Event) =>
  target instanceof Element ? target.closest<HTMLFormElement>(`:is(${BESIDE}) form, form[data-guard]`) : null

/** Watches all forms, and asks. */
export function Unsaved() {
  const close = useSyncExternalStore(subscribe, () => asked)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => loses(current, next),
    enableBeforeUnload: () => isUnsaved(),
    withResolver: true,
  })
  useEffect(() => {
    const onInput = (event: Event) => {
      const form = formOf(event)
      if (form) forms.set(form, 'typed')
    }
    const onSubmit = (event: Event) => {
      const form = formOf(event)
      if (form && forms.has(form)) forms.set(form, 'sent')
    }
    document.addEventListener('input', onInput)
    document.addEventListener('submit', onSubmit)
    return () => {
      document.removeEventListener('input', onInput)
      document.removeEventListener('submit', onSubmit)
    }
  }, [])
  if (close) {
    const discard = () => {
      ask(null)
      close()
    }
    return <Ask onKeep={() => ask(null)} onDiscard={discard} />
  }
  if (blocker.status !== 'blocked') return null
  const discard = () => {
    forget()
    blocker.proceed()
  }
  return <Ask onKeep={blocker.reset} onDiscard={discard} />
}

function Ask({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const isSecret = useSyncExternalStore(subscribe, () => secrets.size > 0)
  return (
    <Dialog
      title={isSecret ? 'Leave without the secret?' : 'Discard what you typed?'}
      onClose={onKeep}
      foot={
        <>
          <button type="button" className="btn" onClick={onKeep}>
            {isSecret ? 'Stay' : 'Keep editing'}
          </button>
          <button type="button" className="btn" data-kind="danger" onClick={onDiscard}>
            {isSecret ? 'Leave' : 'Discard'}
          </button>
        </>
      }
    >
      <p>{isSecret ? 'It was not copied, and is not shown again.' : 'It is not saved.'}</p>
    </Dialog>
  )
}
