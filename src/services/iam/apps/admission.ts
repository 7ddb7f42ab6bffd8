// Who may sign in to an app, the audience of its tokens, and its branding: the fields, and the rules that connect them.
import { Type } from 'typebox'
import { invalidField } from '../../../kit/check.ts'
import { boolean, orNone, string } from '../../../kit/fields.ts'
import { color, logo, requireImage } from '../branding.ts'

const People = Type.Enum(['team', 'users'], {
  description:
    "Who signs in: `team` for the organisation's members, or `users` for its customers. Customers get their own account (`/v1/iam/users`), and can use this API only for that account",
  examples: ['team'],
})
const SignUp = Type.Enum(['closed', 'invited', 'open'], {
  description:
    'Who may register with an app for customers. `closed`: nobody, only existing accounts sign in; `invited`: people for whom an admin created an account, who then choose a password; `open`: everybody',
  examples: ['closed'],
})
const DomainName = Type.String({
  maxLength: 253,
  pattern: '^[a-z0-9-]+([.][a-z0-9-]+)+$',
  description: 'A domain in lower case, such as `example.com`, without `@` and `*`',
})
const SignUpDomains = Type.Array(DomainName, {
  maxItems: 50,
  description: 'Only addresses at exactly these domains may register; if empty, all may',
  examples: [[]],
})
const RefuseDisposable = boolean(
  'Whether to reject registrations from disposable mail providers, according to the risk set `domain`',
  false,
)
const Audience = string(
  "The API that the app's access tokens are for: an https URL or a URN that no other organisation uses. Stoa's API rejects tokens for another audience; if omitted, the tokens are for Stoa's API",
  'https://api.shop.example.com',
  { maxLength: 200 },
)
const Claim = Type.String({
  maxLength: 80,
  pattern: '^(role|metadata[.][^.\\s]{1,64})$',
  description: '`role`, or `metadata.` and the name of a field',
})
const Claims = Type.Array(Claim, {
  maxItems: 20,
  description:
    'Additional claims in tokens and UserInfo: `role` and, for customers, fields of their metadata, such as `metadata.plan`',
  examples: [[]],
})
const MayWrite = boolean(
  'Whether the tokens of an untrusted app have the rights of a member. Only apps that were registered before such tokens became read-only have it; an owner can set it to false, which cannot be undone',
  false,
)
const WITHOUT = 'that of the organisation; only for apps with `people: "users"`'
const [Logo, Color] = [logo(WITHOUT), color(WITHOUT)]
/** Apps for the team have no branding. */
const branding = { logo: orNone({ ...Logo, examples: [null] }), color: orNone({ ...Color, examples: [null] }) }

/** The fields as the API returns them. */
export const admission = {
  people: People,
  signUp: SignUp,
  signUpDomains: SignUpDomains,
  refuseDisposable: RefuseDisposable,
  audience: Type.Optional(Audience),
  claims: Claims,
  mayWrite: MayWrite,
  logo: Type.Optional(Logo),
  color: Type.Optional(Color),
}

/** The input fields of a new app. */
export const chosenAdmission = {
  people: People,
  signUp: Type.Optional(SignUp),
  signUpDomains: Type.Optional(SignUpDomains),
  refuseDisposable: Type.Optional(RefuseDisposable),
  audience: Type.Optional(Audience),
  claims: Type.Optional(Claims),
  ...branding,
}

/** The input fields of a change. `people` cannot change: tokens of customers must never become those of members. */
export const changedAdmission = {
  signUp: Type.Optional(SignUp),
  signUpDomains: Type.Optional(SignUpDomains),
  refuseDisposable: Type.Optional(RefuseDisposable),
  audience: orNone(Audience),
  claims: Type.Optional(Claims),
  mayWrite: Type.Optional(MayWrite),
  ...branding,
}

export type Admission = {
  people: 'team' | 'users'
  signUp: 'closed' | 'invited' | 'open'
  signUpDomains: string[]
  refuseDisposable: boolean
  audience: string | null
  claims: string[]
  mayWrite: boolean
  logo: string | null
  color: string | null
}

export const NEW_ADMISSION: Omit<Admission, 'people'> = {
  signUp: 'closed',
  signUpDomains: [],
  refuseDisposable: false,
  audience: null,
  claims: [],
  mayWrite: false,
  logo: null,
  color: null,
}

/** Rejects fields that exclude each other. `ownUrls` are the addresses of this API and of its issuers. */
export function requireAdmission(app: Admission & { trusted: boolean }, ownUrls: readonly string[]): void {
  const { people, signUp, signUpDomains, refuseDisposable, audience, claims, trusted } = app
  const of = (field: string) => invalidField(field, 'is only for apps with `people: "users"`')
  if (people === 'team') {
    if (signUp !== 'closed') throw of('signUp')
    if (signUpDomains.length > 0) throw of('signUpDomains')
    if (refuseDisposable) throw of('refuseDisposable')
    if (claims.some(claim => claim !== 'role')) throw of('claims')
    if (app.logo !== null) throw of('logo')
    if (app.color !== null) throw of('color')
  } else if (trusted) throw invalidField('trusted', 'is only for apps with `people: "team"`')
  if (audience !== null) requireAudience(audience, ownUrls)
  requireImage(app.logo)
}

function requireAudience(audience: string, ownUrls: readonly string[]): void {
  const wrong = (says: string) => invalidField('audience', says)
  const url = URL.canParse(audience) ? new URL(audience) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'urn:') || audience.includes('#')) {
    throw wrong('must be an https URL, or a URN, without a fragment')
  }
  if (url.href !== audience && url.href !== `${audience}/`) {
    throw wrong(`must be written in its normalised form, ${url.href.slice(0, 200)}`)
  }
  const hostOf = ({ host }: URL) => host.replace(/\.(?=:|$)/, '')
  if (ownUrls.some(own => hostOf(new URL(own)) === hostOf(url))) throw wrong('must not be that of Stoa itself')
}
