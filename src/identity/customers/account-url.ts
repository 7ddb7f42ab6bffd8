// The URL of the account page for an app's customers. It is also a callback of the app: people who are not signed in sign in to
// the app and return to the page.
import type { App } from '../../services/iam/public.ts'
import { ACCOUNT_PATH } from '../account.ts'

export const queryFor = (id: string): string => `?client_id=${encodeURIComponent(id)}`

export const accountUrl = (issuer: string, id: string): string => issuer + ACCOUNT_PATH + queryFor(id)

type Named = Pick<App, 'id' | 'people' | 'redirectUris' | 'logoutUris'>

/** Where people may return to after signing in to the app. */
export const callbacksOf = (issuer: string, { id, people, redirectUris }: Named): string[] =>
  people === 'users' ? [...new Set([...redirectUris, accountUrl(issuer, id)])] : redirectUris

/** A page of the app to link to: its post-logout page, or else the root of its first web redirect URI. Null if it has neither. */
export function homeOf({ logoutUris, redirectUris }: Pick<Named, 'logoutUris' | 'redirectUris'>): string | null {
  const fronts = redirectUris.filter(isWeb).map(uri => `${new URL(uri).origin}/`)
  return logoutUris.find(isWeb) ?? fronts[0] ?? null
}

const isWeb = (uri: string) => /^https?:\/\//i.test(uri) && URL.canParse(uri)
