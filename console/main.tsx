import './tokens.css'
import './parts/parts.css'
import './frame/frame.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api.ts'
import { router } from './router.tsx'

const RELOAD_AFTER_MS = 10_000

// A page that a browser keeps for its Back button may show a secret after signing out.
addEventListener('pagehide', () => {
  document.body.hidden = true
})
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
// A new build has replaced the files of the one that this page is from. If a file is missing in the new one too, reloading would
// never end.
addEventListener('vite:preloadError', () => performance.now() > RELOAD_AFTER_MS && location.reload())

createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
