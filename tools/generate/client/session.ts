// The CSRF token of a browser session, which the host requires for writes.

/** The token is renewed before it expires, so that a slow request still arrives in time. */
const RENEWAL_S = 60

type Held = { token: string; expires: number }

/** Resolves to a valid token shared by all calls, other than the one that the host refused. */
export type CsrfToken = (refused: string | null) => Promise<string>

export function csrfTokens(get: () => Promise<{ csrfToken: string; expiresIn: number }>): CsrfToken {
  let latest: Promise<Held> | null = null
  const load = (): Promise<Held> => {
    const loading = get().then(({ csrfToken, expiresIn }) => {
      return { token: csrfToken, expires: Date.now() + 1000 * Math.max(expiresIn - RENEWAL_S, expiresIn / 2) }
    })
    loading.catch(() => {
      if (latest === loading) latest = null // The next call tries again; this one gets the error.
    })
    latest = loading
    return loading
  }
  return async refused => {
    const known = latest ?? load()
    const { token, expires } = await known
    if (token !== refused && Date.now() < expires) return token
    const renewed = latest && latest !== known ? latest : load() // Another call may have renewed it meanwhile.
    return (await renewed).token
  }
}
