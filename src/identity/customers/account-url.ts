// The address of the account page for the customers of an app. It is a callback of the app too: whoever is not signed in signs
// in to the app, and returns to the page.
import type { App } from '../../services/iam/public.ts'
import { ACCOUNT_PATH } from '../account.ts'

export const queryFor = (id: string): string => `?client_id=${encodeURIComponent(id)}`

export const accountUrl = (issuer: string, id: string): string => issuer + ACCOUNT_PATH + queryFor(id)

type Named = Pick<App, 'id' | 'people' | 'redirectUris' | 'logoutUris'>

/** Where people may return to after signing in to the app. */
export const callbacksOf = (issuer: string, { id, people, redirectUris }: Named): string[] =>
  people === 'users' ? [...new Set([...redirectUris, accountUrl(issuer, id)])] : redirectUris

/** A page of the app: the one for those who have signed out, or the front page of where it signs them in. Null if it has none
 *  that a link may lead to. */
export function homeOf({ logoutUris, redirectUris }: Pick<Named, 'logoutUris' | 'redirectUris'>): string | null {
  const fronts = redirectUris.filter(isWeb).map(uri => `${new URL(uri).origin}/`)
  return logoutUris.find(isWeb) ?? fronts[0] ?? null
}

const isWeb = (uri: string) => /^https?:\/\//i.test(uri) && URL.canParse(uri)
