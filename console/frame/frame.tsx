// Everything around a screen: navigation, organisation, theme, command menu, and what is shown when the session ends.
import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { me, signedOut, signInUrl } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { dropErrors, Toasts } from '../parts/toast.tsx'
import { useFocusKept } from './focus.ts'
import { useKeys } from './keys.ts'
import { Navigation } from './navigation.tsx'
import { OnlySuperadmins, OtherOrganisation } from './organisation.tsx'
import { Palette } from './palette.tsx'
import { useTitle } from './title.ts'
import { forget, Unsaved } from './unsaved.tsx'

export function Frame() {
  const { data } = useQuery(me)
  const { org } = useParams({ strict: false }) as { org?: string }
  const title = useTitle()
  const [menu, setMenu] = useState(false)
  const [palette, setPalette] = useState(false)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the former screen
  useEffect(() => {
    setMenu(false)
    dropErrors()
  }, [pathname])
  useFocusKept()
  useKeys(data?.org ?? '', () => setPalette(true))
  if (!data) return null
  return (
    <div className="frame">
      <a className="skip" href="#sheet">
        Skip to content
      </a>
      <aside className="side" data-open={menu || undefined}>
        <Navigation me={data} onOpenPalette={() => setPalette(true)} />
      </aside>
      <header className="phonebar">
        <button type="button" className="btn" aria-label="Menu" aria-expanded={menu} onClick={() => setMenu(!menu)}>
          <Icon name={menu ? 'x' : 'menu'} />
        </button>
        <strong>{title}</strong>
        <button type="button" className="btn" aria-label="Search" onClick={() => setPalette(true)}>
          <Icon name="search" />
        </button>
      </header>
      <main className="sheet" id="sheet" tabIndex={-1}>
        {org && org !== data.org ? (
          <OtherOrganisation me={data} org={org} />
        ) : pathname.startsWith('/host/') && !data.superadmin ? (
          <OnlySuperadmins me={data} />
        ) : (
          <Outlet />
        )}
      </main>
      {palette && <Palette me={data} onClose={() => setPalette(false)} />}
      <Unsaved />
      <SessionEnded />
      <Toasts />
    </div>
  )
}

/** What was asked for together ends together: several answers say so. */
const SAME_MS = 3_000

function SessionEnded() {
  const [ended, setEnded] = useState(false)
  const closedAt = useRef(Number.NEGATIVE_INFINITY)
  const close = () => {
    closedAt.current = performance.now()
    setEnded(false)
  }
  useEffect(() => {
    const end = () => performance.now() - closedAt.current > SAME_MS && setEnded(true)
    signedOut.addEventListener('end', end)
    return () => signedOut.removeEventListener('end', end)
  }, [])
  if (!ended) return null
  return (
    <Dialog title="Your session has ended" onClose={close}>
      <p>Sign in to go on. You come back to this screen; text that you have not saved is lost.</p>
      <a className="btn" data-kind="primary" href={signInUrl(location)} onClick={() => forget()}>
        Sign in
      </a>
    </Dialog>
  )
}
