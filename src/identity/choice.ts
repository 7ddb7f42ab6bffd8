// The step in which a person chooses the organisation they act in. Only the platform's own app has it: every other app
// belongs to one organisation.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { markBrowser } from './browser-mark.ts'
import { readForm, show } from './forms.ts'
import { choicePage, contentPolicy, problemPage } from './pages.ts'
import { type ClaimGrant, newGrant, SIGN_IN_PATH } from './provider.ts'

export type Membership = { org: string; name: string; role: string }

export type ChoiceOptions = {
  provider: Provider
  /** Draws 20 letters and digits. */
  newMark: () => string
  ownClient: string
  audience: string
  memberships: (user: string) => Promise<Membership[]>
  /** Keeps with a grant which organisation it is for. */
  chooseOrg: (grantId: string, org: string) => Promise<void>
  chosenOrg: (grantId: string) => Promise<string | null>
  claimGrant: ClaimGrant
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

export async function choose(
  options: ChoiceOptions,
  { uid, session, params }: Details,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const user = session?.accountId ?? ''
  const callback = new URL(String(params.redirect_uri)).origin
  const memberships = await options.memberships(user)
  if (memberships.length === 0) {
    return show(response, 403, problemPage('No organisation', 'This account does not belong to any organisation now.'))
  }
  const asked = request.method === 'POST' ? (await readForm(request, response))?.get('org') : undefined
  const isOnly = asked === undefined && memberships.length === 1
  const chosen = isOnly ? memberships[0] : memberships.find(({ org }) => org === asked)
  if (!chosen) {
    const status = request.method === 'POST' ? 400 : 200
    return show(response, status, choicePage(`${SIGN_IN_PATH}/${uid}`, memberships), callback)
  }
  const grantId = await chosenGrant(options, user, session?.cookie, chosen.org)
  const browser = markBrowser(request, response, options.newMark)
  response.setHeader('content-security-policy', contentPolicy(callback))
  await options.provider.interactionFinished(
    request,
    response,
    { consent: { grantId }, browser },
    { mergeWithLastSubmission: false },
  )
}

/** What is chosen for who belongs to one organisation; null for all others. */
export async function onlyChoice(options: ChoiceOptions, user: string): Promise<{ grantId: string } | null> {
  const [only, ...more] = await options.memberships(user)
  return only && more.length === 0 ? { grantId: await newChoice(options, user, only.org) } : null
}

/** The grant this browser has for that organisation already, since another one in its place would end what other tabs
 *  have; or a new one, in place of what it had for another organisation. */
async function chosenGrant(options: ChoiceOptions, user: string, cookie = '', org: string): Promise<string> {
  const { provider, ownClient, chosenOrg, claimGrant } = options
  const session = await provider.Session.find(cookie)
  let chosen: string | null = null
  for (let before = session?.grantIdFor(ownClient) ?? null; ; ) {
    if (before !== null && (await chosenOrg(before)) === org) {
      if (chosen !== null) await endGrant(provider, chosen)
      return before
    }
    chosen ??= await newChoice(options, user, org)
    const claimed = await claimGrant(cookie, { client: ownClient, before, grant: chosen })
    if (claimed === chosen) {
      if (before !== null) await endGrant(provider, before)
      return chosen
    }
    before = claimed // Of another tab, meanwhile.
  }
}

const endGrant = async (provider: Provider, grantId: string) => (await provider.Grant.find(grantId))?.destroy()

async function newChoice(options: ChoiceOptions, user: string, org: string): Promise<string> {
  const { provider, ownClient, audience, chooseOrg } = options
  const { jti } = await newGrant(provider, { clientId: ownClient, accountId: user }, audience)
  await chooseOrg(jti, org)
  return jti
}
