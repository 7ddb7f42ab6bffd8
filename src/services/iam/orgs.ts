// Operations under /v1/iam/orgs. Operators make organisations and see all of them; everybody else sees the one their
// credential belongs to, and its admins and owners look after it.
import { Type } from 'typebox'
import { administers, type Caller, isSuperadmin, type OrgId, PLATFORM_ORG } from '../../kit/caller.ts'
import { invalidInput } from '../../kit/check.ts'
import { Fault, notFound } from '../../kit/fault.ts'
import { displayName, slug, timestamp } from '../../kit/fields.ts'
import { type Context, nothing, operation } from '../../kit/operation.ts'
import { listing, page, paging } from '../../kit/page.ts'
import { keepKey, newKeyText } from '../account/public.ts'
import { Email, Password, UserId } from './fields.ts'
import { admitMember, digestOf } from './people.ts'
import * as store from './store.ts'

const Slug = slug("The organisation's slug, which never changes")
const Name = displayName("The organisation's name")
const Org = Type.Object({
  slug: Slug,
  name: Name,
  created: timestamp('When it was created'),
  updated: timestamp('When it was last changed'),
})

export const listOrgs = operation({
  route: 'GET /v1/iam/orgs',
  summary: "The caller's organisation; for operators all, by slug",
  access: 'bearer',
  input: paging,
  output: listing(Org),
  run: ({ db, caller }, asked) =>
    page(
      asked,
      (last, count) => store.selectOrgs(db, isSuperadmin(caller) ? null : caller.org, last, count),
      org => org.slug,
    ),
})

export const createOrg = operation({
  route: 'POST /v1/iam/orgs',
  summary: 'Creates an organisation with its owner, and answers once an unlimited key of the owner, in `key`',
  access: 'superadmin',
  mints: true,
  input: {
    slug: Slug,
    name: Name,
    owner: Type.Object(
      { email: Email, password: Type.Optional(Password) },
      { additionalProperties: false, examples: [{ email: 'ada@example.com' }] },
    ),
  },
  output: Type.Object({
    ...Org.properties,
    owner: Type.Object({ user: UserId, email: Email }),
    key: Type.String({ description: 'An unlimited secret key of the owner. Keep it now' }),
  }),
  status: 201,
  faults: ['conflict'],
  audit: { what: 'org.create', on: ({ slug }) => slug },
  prepare: async (_context, { owner: { password } }) => (password === undefined ? null : digestOf(password)),
  run: async (context, { slug, name, owner }, passwordDigest) => {
    const { db, clock, random } = context
    const org = slug as OrgId
    const made = await store.insertOrganisation(db, org, name, clock.now().toISOString())
    if (!made) {
      throw new Fault('conflict', {
        message: `There is an organisation \`${slug}\` already; choose another slug.`,
        fields: [{ path: 'slug', says: 'is taken' }],
      })
    }
    const { user, email } = await admitMember(context, org, { ...owner, passwordDigest, passwordBy: null }, 'owner')
    const key = newKeyText(random, 'secret')
    await keepKey(context, { org, user, name: 'First key', type: 'secret', text: key })
    return { ...made, owner: { user, email }, key }
  },
})

export const getOrg = operation({
  route: 'GET /v1/iam/orgs/{slug}',
  summary: 'One organisation',
  access: 'bearer',
  input: { slug: Slug },
  output: Org,
  faults: ['not_found'],
  run: ({ db, caller }, { slug }) => visibleOrg(db, caller, slug),
})

export const updateOrg = operation({
  route: 'PATCH /v1/iam/orgs/{slug}',
  summary: 'Renames an organisation',
  access: 'bearer',
  input: { slug: Slug, name: Name },
  output: Org,
  faults: ['not_found'],
  audit: { what: 'org.update', on: ({ slug }) => slug },
  run: async ({ db, caller, clock }, { slug, name }) => {
    const org = await visibleOrg(db, caller, slug)
    requireOperatorOr(administers(caller), caller, 'an owner or admin')
    return { ...org, ...(await store.updateOrg(db, slug as OrgId, name, clock.now().toISOString())) }
  },
})

export const deleteOrg = operation({
  route: 'DELETE /v1/iam/orgs/{slug}',
  summary: 'Deletes an organisation and everything in it; `confirm` repeats its slug',
  access: 'bearer',
  input: { slug: Slug, confirm: slug('The slug once more') },
  output: nothing,
  faults: ['not_found', 'conflict'],
  audit: { what: 'org.delete', on: ({ slug }) => slug, trail: 'platform' },
  run: async ({ db, caller }, { slug, confirm }) => {
    await visibleOrg(db, caller, slug)
    requireOperatorOr(caller.role === 'owner', caller, 'an owner')
    if (confirm !== slug) throw invalidInput([{ path: 'confirm', says: `must repeat the slug, ${slug}` }])
    if (slug === PLATFORM_ORG) {
      throw new Fault('conflict', { message: 'The organisation of the operators is never deleted.' })
    }
    await store.deleteOrg(db, slug as OrgId)
  },
})

async function visibleOrg(db: Context['db'], caller: Caller, slug: string): Promise<store.Org> {
  const org = isSuperadmin(caller) || caller.org === slug ? await store.selectOrg(db, slug as OrgId) : null
  if (!org) throw notFound('organisation')
  return org
}

function requireOperatorOr(may: boolean, caller: Caller, who: string): void {
  if (may || isSuperadmin(caller)) return
  throw new Fault('forbidden', { message: `Only ${who} of the organisation may do this.` })
}
