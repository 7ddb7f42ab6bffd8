import { queryClient, signInUrl, stoa } from '../api.ts'

/** Ends the session and what other apps got from the same sign-in, and leaves the page, so that nothing of it stays. */
export async function signOut(to = '/'): Promise<void> {
  await stoa.logout()
  left(to)
}

/** The session has ended: the person is asked to sign in. */
export function left(to = '/'): void {
  queryClient.clear()
  location.replace(signInUrl({ pathname: to, search: '' }))
}
