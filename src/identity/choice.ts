// The sign-in step in which a person chooses an organisation. Only Stoa's own app has this step: every other app
// belongs to one organisation.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { OrgId } from '../kit/caller.ts'
import { ensureBrowserId } from './browser-id.ts'
import { readForm, show } from './forms.ts'
import { choicePage, contentPolicy, problemPage } from './pages.ts'
import { type ClaimGrant, newGrant, ORG_PARAM, SIGN_IN_PATH } from './provider.ts'

export type Membership = { org: OrgId; name: string; role: string }

export type ChoiceOptions = {
  provider: Provider
  /** Returns 20 random letters and digits. */
  newBrowserId: () => string
  ownClient: string
  audience: string
  memberships: (user: string) => Promise<Membership[]>
  /** Stores the organisation that a grant is for. */
  setGrantOrg: (grantId: string, org: OrgId) => Promise<void>
  grantOrg: (grantId: string) => Promise<string | null>
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
    return show(
      response,
      403,
      problemPage(
        'No organisation',
        'Your account does not belong to any organisation. Ask an owner or admin to add you.',
      ),
    )
  }
  const isPost = request.method === 'POST'
  // An organisation that the person is not a member of is treated like one that does not exist.
  const requested = isPost ? (await readForm(request, response))?.get('org') : params[ORG_PARAM]
  const isOnly = !isPost && memberships.length === 1
  const chosen = isOnly ? memberships[0] : memberships.find(({ org }) => org === requested)
  if (!chosen) {
    const status = isPost ? 400 : 200
    return show(response, status, choicePage(`${SIGN_IN_PATH}/${uid}`, memberships), callback)
  }
  const grantId = await grantForOrg(options, user, session?.cookie, chosen.org)
  const browser = ensureBrowserId(request, response, options.newBrowserId)
  response.setHeader('content-security-policy', contentPolicy(callback))
  await options.provider.interactionFinished(
    request,
    response,
    { consent: { grantId }, browser },
    { mergeWithLastSubmission: false },
  )
}

/** A new grant for a person who belongs to exactly one organisation; null for all others. */
export async function grantForOnlyOrg(options: ChoiceOptions, user: string): Promise<{ grantId: string } | null> {
  const [only, ...more] = await options.memberships(user)
  return only && more.length === 0 ? { grantId: await newOrgGrant(options, user, only.org) } : null
}

/** The grant that this browser session already has for the organisation: replacing it would sign out its other tabs.
 *  Otherwise a new grant, which replaces the one for another organisation. */
async function grantForOrg(options: ChoiceOptions, user: string, cookie = '', org: OrgId): Promise<string> {
  const { provider, ownClient, grantOrg, claimGrant } = options
  const session = await provider.Session.find(cookie)
  let created: string | null = null
  for (let before = session?.grantIdFor(ownClient) ?? null; ; ) {
    if (before !== null && (await grantOrg(before)) === org) {
      if (created !== null) await endGrant(provider, created)
      return before
    }
    created ??= await newOrgGrant(options, user, org)
    const claimed = await claimGrant(cookie, { client: ownClient, before, grant: created })
    if (claimed === created) {
      if (before !== null) await endGrant(provider, before)
      return created
    }
    before = claimed // Set by another tab in the meantime.
  }
}

const endGrant = async (provider: Provider, grantId: string) => (await provider.Grant.find(grantId))?.destroy()

async function newOrgGrant(options: ChoiceOptions, user: string, org: OrgId): Promise<string> {
  const { provider, ownClient, audience, setGrantOrg } = options
  const { jti } = await newGrant(provider, { clientId: ownClient, accountId: user }, audience)
  await setGrantOrg(jti, org)
  return jti
}
