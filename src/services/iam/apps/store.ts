// All SQL on brands and apps.

import type { Sql, Tx } from '../../../engines/engines.ts'
import type { CallerRole, OrgId } from '../../../kit/caller.ts'
import { anyRow, fragment, oneRow } from '../../../kit/sql.ts'
import { isLiveOrg } from '../orgs/store.ts'
import type { Admission } from './admission.ts'

/** Creates the brands of the settings. A brand that is no longer in the settings is not served, but keeps its apps. */
export async function upsertBrands(db: Tx, names: readonly string[]): Promise<void> {
  await db`insert into brands (name) select unnest(${names}::text[]) on conflict do nothing`
  await db`update brands set served = name = any(${names}) where served <> (name = any(${names}))`
}

/** Stores the issuers of brands that have none yet. */
export async function fixIssuers(db: Tx, issuers: ReadonlyMap<string, string>): Promise<void> {
  await db`update brands set issuer = given.issuer
    from unnest(${[...issuers.keys()]}::text[], ${[...issuers.values()]}::text[]) as given (name, issuer)
    where brands.name = given.name and brands.issuer is null`
}

/** The issuers of the brands that are served now. */
export function selectIssuers(db: Sql): Promise<{ brand: string; issuer: string }[]> {
  return db<{ brand: string; issuer: string }>`select name as brand, issuer from brands
    where served and issuer is not null order by name`
}

export function hasBrand(db: Sql, name: string): Promise<boolean> {
  return anyRow(db`select from brands where name = ${name} and served`)
}

export type ClientPerson = {
  user: string
  email: string
  emailVerified: boolean
  name: string
  org: OrgId | null
  role: CallerRole
  metadata?: Record<string, unknown>
}

/** A person as a member of the app's organisation. At Stoa's own app (`chooses`), it is the organisation chosen for the
 *  grant with that digest; `org` is null while there is no grant. */
export function selectClientMember(
  db: Sql,
  user: string,
  { brand, id }: AppId,
  grant: Uint8Array | null,
): Promise<ClientPerson | null> {
  return oneRow(db<ClientPerson>`select users.id as user, users.email, users.name,
      users.email_verified is not null as "emailVerified", members.role,
      case when apps.chooses and ${grant}::bytea is null then null else members.org end as org
    from apps
    left join oidc as sign_in on sign_in.brand = apps.brand and sign_in.model = 'Grant' and sign_in.digest = ${grant}
    join members on members.user_id = ${user} and case
      when not apps.chooses then members.org = apps.org
      else ${grant}::bytea is null or members.org = sign_in.org end and ${isLiveOrg(fragment`members.org`)}
    join users on users.id = members.user_id
    where apps.brand = ${brand} and apps.id = ${id} and apps.people = 'team' limit 1`)
}

/** A person as a customer of the app's organisation. */
export function selectClientCustomer(db: Sql, user: string, { brand, id }: AppId): Promise<ClientPerson | null> {
  return oneRow(db<ClientPerson>`select c.id as user, c.email, c.name, c.email_verified is not null as "emailVerified",
      c.org, 'user' as role, c.metadata
    from apps join customers as c on c.org = apps.org and c.id = ${user} and c.blocked is null
    where apps.brand = ${brand} and apps.id = ${id} and apps.people = 'users' and ${isLiveOrg(fragment`apps.org`)}`)
}

/** The same client id can exist at several brands. */
export type AppId = { brand: string; id: string }
export type App = AppId &
  Admission & {
    app: string
    name: string
    type: 'confidential' | 'public'
    redirectUris: string[]
    logoutUris: string[]
    trusted: boolean
    /** Null while its brand is not served; empty if it is that of a host without a setting for it. */
    issuer: string | null
    created: string
    updated: string
  }

const issuerOf = fragment`(select coalesce(issuer, '') from brands where brands.name = apps.brand and served) as issuer`
const COLUMNS = fragment`id, app, brand, name, type, redirect_uris as "redirectUris", logout_uris as "logoutUris", trusted,
  people, sign_up as "signUp", sign_up_domains as "signUpDomains", refuses_disposable as "refuseDisposable", audience, claims,
  may_write as "mayWrite", logo, color, created, updated, ${issuerOf}`

/** By client id and brand, after the given one. Stoa's own app is left out: it cannot be changed. */
export function selectApps(db: Sql, org: OrgId, after: AppId, count: number): Promise<App[]> {
  return db<App>`select ${COLUMNS} from apps
    where org = ${org} and not chooses and (id collate "C", brand collate "C") > (${after.id}, ${after.brand})
    order by id collate "C", brand collate "C" limit ${count}`
}

export function selectApp(db: Sql, org: OrgId, { brand, id }: AppId): Promise<App | null> {
  return oneRow(db<App>`select ${COLUMNS} from apps
    where org = ${org} and not chooses and brand = ${brand} and id = ${id}`)
}

/** Locks the app until the transaction ends. */
export async function lockApp(db: Tx, org: OrgId, { brand, id }: AppId): Promise<void> {
  await db`select from apps where org = ${org} and brand = ${brand} and id = ${id} for no key update`
}

type New = Omit<App, 'issuer'> & { sealed: Uint8Array | null }

/** Returns null if the app already exists. */
export async function insertApp(db: Tx, org: OrgId, app: New): Promise<App | null> {
  const row = await oneRow(db<
    Pick<App, 'issuer'>
  >`insert into apps (id, org, app, brand, name, type, redirect_uris, logout_uris, secret, trusted,
      people, sign_up, sign_up_domains, refuses_disposable, audience, claims, may_write, logo, color, created, updated)
    values (${app.id}, ${org}, ${app.app}, ${app.brand}, ${app.name}, ${app.type}, ${app.redirectUris},
      ${app.logoutUris}, ${app.sealed}, ${app.trusted}, ${app.people}, ${app.signUp}, ${app.signUpDomains}, ${app.refuseDisposable},
      ${app.audience}, ${app.claims}, ${app.mayWrite}, ${app.logo}, ${app.color}, ${app.created}, ${app.updated})
    on conflict do nothing returning ${issuerOf}`)
  const { sealed: _, ...created } = app
  return row && { ...created, ...row }
}

export async function updateApp(
  db: Tx,
  org: OrgId,
  { brand, id, name, redirectUris, logoutUris, trusted, updated, ...admission }: App,
): Promise<void> {
  const { signUp, signUpDomains, refuseDisposable, audience, claims, mayWrite, logo, color } = admission
  await db`update apps set name = ${name}, redirect_uris = ${redirectUris}, logout_uris = ${logoutUris},
    trusted = ${trusted}, updated = ${updated}, sign_up = ${signUp}, sign_up_domains = ${signUpDomains},
    refuses_disposable = ${refuseDisposable}, audience = ${audience}, claims = ${claims}, may_write = ${mayWrite},
    logo = ${logo}, color = ${color}
    where org = ${org} and brand = ${brand} and id = ${id}`
}

export async function updateAppSecret(
  db: Tx,
  org: OrgId,
  { brand, id }: AppId,
  sealed: Uint8Array,
  at: string,
): Promise<void> {
  await db`update apps set secret = ${sealed}, updated = ${at}
    where org = ${org} and brand = ${brand} and id = ${id}`
}

export function deleteApp(db: Tx, org: OrgId, { brand, id }: AppId): Promise<boolean> {
  return anyRow(db`delete from apps where org = ${org} and not chooses and brand = ${brand} and id = ${id}
    returning id`)
}

export type Client = App & { org: OrgId; sealed: Uint8Array | null; chooses: boolean }

/** Clients may add a slash at the end, so that one does not make another audience. */
export function isAudienceOfOther(db: Tx, org: OrgId, audience: string): Promise<boolean> {
  return anyRow(db`select from apps
    where rtrim(audience, '/') = rtrim(${audience}, '/') and org <> ${org} and ${isLiveOrg(fragment`org`)}`)
}

/** An app of any organisation, by client id, for the identity provider. */
export function selectClient(db: Sql, { brand, id }: AppId): Promise<Client | null> {
  return oneRow(db<Client>`select ${COLUMNS}, org, secret as sealed, chooses from apps
    where brand = ${brand} and id = ${id} and ${isLiveOrg(fragment`org`)}`)
}

/** Creates Stoa's own app or updates its redirect URIs. */
export async function upsertOwnApp(
  db: Tx,
  org: OrgId,
  own: Pick<App, 'id' | 'app' | 'brand' | 'name' | 'redirectUris' | 'created'>,
): Promise<void> {
  const { id, app, brand, name, redirectUris, created } = own
  await db`insert into apps (id, org, app, brand, name, type, redirect_uris, logout_uris, chooses, trusted, created, updated)
    values (${id}, ${org}, ${app}, ${brand}, ${name}, 'public', ${redirectUris}, '{}', true, true, ${created}, ${created})
    on conflict (brand, id) do update set name = excluded.name, type = 'public', secret = null, chooses = true, trusted = true,
      redirect_uris = excluded.redirect_uris, logout_uris = '{}'`
}
