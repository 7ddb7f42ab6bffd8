import { queryClient, stoa } from '../api.ts'

/** Ends the session and what other apps got from the same sign-in, and leaves the page, so that nothing of it stays. */
export async function signOut(): Promise<void> {
  await stoa.logout()
  left()
}

/** The session has ended: the next screen asks to sign in. */
export function left(): void {
  queryClient.clear()
  location.replace('/')
}
