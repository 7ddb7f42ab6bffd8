// Operations under /v1/iam/orgs. Superadmins create organisations and see all of them. All other callers see the
// organisation of their credential, and its owners and admins manage it.

import { Type } from 'typebox'
import { nothing } from '../../../kit/answer.ts'
import { ADMIN_ORG, administers, type Caller, isSuperadmin, type OrgId } from '../../../kit/caller.ts'
import { invalidField } from '../../../kit/check.ts'
import { conflict, Fault, notFound, orNotFound } from '../../../kit/fault.ts'
import { displayName, integer, secret, slug, string, timestamp, withoutNulls } from '../../../kit/fields.ts'
import type { Context } from '../../../kit/operation.ts'
import { listing, page, paging, shownAs } from '../../../kit/page.ts'
import { purgeProgress } from '../../../kit/tables/purge.ts'
import { orgCreated, orgDeleted, orgUpdated } from '../events.ts'
import { Email, UserId } from '../fields.ts'
import * as members from '../members/store.ts'
import { endAccessOf } from '../people/end-access.ts'
import { Password, requireUncommon } from '../people/password-rules.ts'
import { addFirstOwner } from '../people/people.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import { ORGS_CHANNEL } from './ended.ts'
import { purges, purgesOf } from './purges.ts'
import * as store from './store.ts'

const Slug = slug("The organisation's slug, which cannot be changed")
const Name = displayName("The organisation's name")
const Org = Type.Object(
  {
    slug: Slug,
    name: Name,
    created: timestamp('When it was created'),
    updated: timestamp('When it was last changed'),
    deleted: Type.Optional(timestamp('When it was deleted; until all its data is gone, only superadmins see it')),
    purge: Type.Optional(
      Type.Object(
        {
          tables: integer('How many tables have rows of organisations', 60),
          empty: integer('In how many of them no row of this one is left', 42),
        },
        {
          description: 'How far the deletion of its data is; only from `GET /v1/iam/orgs/{slug}`',
          examples: [{ tables: 60, empty: 42 }],
        },
      ),
    ),
  },
  { title: 'Organisation', description: 'A tenant: members, keys and everything else belong to one organisation' },
)

const Search = string('Only organisations whose slug begins with this', 'ac', { pattern: '^[a-z0-9-]{1,40}$' })

export const listOrgs = operation({
  route: 'GET /v1/iam/orgs',
  summary: "Lists the caller's organisation, or all organisations for superadmins, by slug",
  access: 'bearer',
  input: { ...paging, search: Type.Optional(Search) },
  output: listing(Org),
  run: ({ db, caller }, { search = '', ...query }) => {
    const select = (last: string, count: number) =>
      isSuperadmin(caller) ? store.selectOrgs(db, search, last, count) : ownOrg(db, caller, search, last)
    return shownAs(page(query, select, 'slug'), shown)
  },
})

export const createOrg = operation({
  route: 'POST /v1/iam/orgs',
  summary: 'Creates an organisation with its owner; only this answer contains `key`, an unlimited key of the owner',
  access: 'superadmin',
  issuesCredential: true,
  input: {
    slug: Slug,
    name: Name,
    owner: Type.Object(
      { email: Email, password: Type.Optional(Password) },
      {
        additionalProperties: false,
        description:
          'The first owner; without a password, a new account gets one with `Forgot your password?` on the sign-in page',
        examples: [{ email: 'grace@example.com' }],
      },
    ),
  },
  output: Type.Object({
    ...Org.properties,
    owner: Type.Object({ user: UserId, email: Email }, { description: 'The first owner' }),
    key: secret('An unlimited secret key of the owner, which is returned only here', 'sk-…'),
  }),
  status: 201,
  faults: ['conflict'],
  audit: 'org.create',
  emits: orgCreated,
  run: async ({ caller, clock, passwords, random, request, state: { keys }, write }, { slug, name, owner }) => {
    const org = slug as OrgId
    const { password } = owner
    await requireUncommon('owner.password', password)
    const passwordDigest = password === undefined ? null : await passwords.hash(caller.org, password, request.signal)
    return write(async ({ db, record, emit }) => {
      const created = await store.insertOrganisation(db, org, name, clock.now().toISOString())
      if (!created) {
        const message = `The slug \`${slug}\` is in use, or belonged to a deleted organisation. Choose another one.`
        throw conflict(message, 'slug', 'is in use or was')
      }
      const person = { email: owner.email, passwordDigest, passwordBy: null }
      const { user, email } = await addFirstOwner({ db, clock, random }, org, person)
      const key = await keys.issue({ db, clock, random }, { org, user, name: 'First key' })
      record(slug, { owner: { to: email } })
      emit('iam.org.created', { slug, name, owner: { user, email } }, org)
      return { ...shown(created), owner: { user, email }, key }
    })
  },
})

export const getOrg = operation({
  route: 'GET /v1/iam/orgs/{slug}',
  summary: 'Returns one organisation',
  description:
    'Callers see their own organisation; superadmins see all. For a deleted one, `purge` says how far the deletion of its data is.',
  access: 'bearer',
  input: { slug: Slug },
  output: Org,
  faults: ['not_found'],
  run: async ({ db, caller, state: { tables } }, { slug }) => {
    const org = await visibleOrg(db, caller, slug)
    if (org.deleted === null) return shown(org)
    return { ...shown(org), purge: await purgeProgress(db, tables, slug as OrgId) }
  },
})

export const updateOrg = operation({
  route: 'PATCH /v1/iam/orgs/{slug}',
  summary: 'Renames an organisation',
  description: 'The slug cannot be changed.',
  access: 'bearer',
  role: 'admin',
  input: { slug: Slug, name: Name },
  output: Org,
  faults: ['not_found'],
  audit: 'org.update',
  emits: orgUpdated,
  run: ({ caller, clock, write }, { slug, name }) =>
    write(async ({ db, record, emit }) => {
      await members.lockMembers(db, slug as OrgId)
      const org = await visibleOrg(db, caller, slug)
      if (org.deleted !== null) throw notFound('organisation')
      requireSuperadminOr(administers(caller), caller, 'an owner or admin')
      if (org.name === name) return shown(org)
      const updated = await store.updateOrg(db, slug as OrgId, name, clock.now().toISOString())
      record(slug, { name: { from: org.name, to: name } })
      emit('iam.org.updated', { slug, name, changed: ['name'] }, slug as OrgId)
      return shown({ ...org, ...updated })
    }),
})

export const deleteOrg = operation({
  route: 'DELETE /v1/iam/orgs/{slug}',
  summary: 'Deletes an organisation and its data; `confirm` must repeat its slug, which cannot be reused',
  description:
    'It cannot be undone. All access to the organisation ends immediately: keys, sessions, tokens, webhooks and streams. Its data is then deleted in the background; until that is done, superadmins see the organisation at `GET /v1/iam/orgs`. What stays: the slug, which is reserved; the billing journal with its accounts; and the entries about the organisation in the audit trail of `admin`, including its deletion. The accounts of its members stay, but passwords that its admins set stop working. The organisation `admin` cannot be deleted.',
  access: 'bearer',
  role: 'owner',
  issuesCredential: true, // It ends all of them, which no limited key may do.
  input: { slug: Slug, confirm: slug('The slug again, to confirm') },
  output: nothing,
  faults: ['not_found', 'conflict'],
  audit: 'org.delete',
  emits: orgDeleted,
  run: ({ caller, clock, queues, state: { tables }, write }, { slug, confirm }) =>
    write(async ({ db, record, emit }) => {
      const { name } = await visibleOrg(db, caller, slug)
      requireSuperadminOr(caller.role === 'owner', caller, 'an owner')
      if (confirm !== slug) throw invalidField('confirm', `must repeat the slug, ${slug}`)
      if (slug === ADMIN_ORG) throw conflict('The organisation `admin` cannot be deleted.')
      const [org, now] = [slug as OrgId, clock.now()]
      const at = now.toISOString()
      if (!(await store.markDeleted(db, org, ORGS_CHANNEL, at))) throw notFound('organisation')
      for (const { release } of tables) await release?.(db, org)
      await queues.add(db, purges, purgesOf(org, now))
      for (const user of await people.endPasswordsSetBy(db, slug as OrgId)) await endAccessOf(db, user, null, at)
      record(slug, { name: { from: name } }, ADMIN_ORG) // The trail of the organisation is deleted with it.
      emit('iam.org.deleted', { slug, name }, slug as OrgId)
    }),
})

const shown = (org: store.Org) => withoutNulls(org)

/** The caller's organisation, unless it was on the previous page. */
async function ownOrg(db: Context['db'], { org }: Caller, search: string, last: string): Promise<store.Org[]> {
  const found = last < org && org.startsWith(search) ? await store.selectOrg(db, org) : null
  return found ? [found] : []
}

async function visibleOrg(db: Context['db'], caller: Caller, slug: string): Promise<store.Org> {
  const isVisible = isSuperadmin(caller) || caller.org === slug
  return orNotFound(isVisible ? await store.selectOrg(db, slug as OrgId) : null, 'organisation')
}

function requireSuperadminOr(allowed: boolean, caller: Caller, role: string): void {
  if (allowed || isSuperadmin(caller)) return
  throw new Fault('forbidden', { message: `Only ${role} of the organisation can do this.` })
}
