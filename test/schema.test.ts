// The schema: migrations of a database with rows, and indexes for foreign keys.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { migrate } from '../src/engines/db/migrate.ts'
import { allMigrations } from '../src/start/migrations.ts'
import { testDatabase } from './database.ts'

/** The first migrations that are applied to a database with rows, by service. */
const FIRST: Record<string, number> = { iam: 11, account: 5, projects: 3, event: 3, webhooks: 3, 'org-settings': 1 }
const isEarlier = ({ service, name }: { service: string; name: string }) =>
  Number(name.slice(0, 4)) < (FIRST[service] ?? Number.POSITIVE_INFINITY)

describe('an upgrade', async () => {
  const { db, drop } = await testDatabase({}, 'template1')
  after(drop)
  const migrations = allMigrations()
  await migrate(db, migrations.filter(isEarlier))
  await db.script(`
    insert into orgs (slug, name, created, updated) select slug, slug, now(), now() from unnest('{admin,acme}'::text[]) as slug;
    insert into users (id, email, created) values ('usr_a', 'ada@acme.test', now()), ('usr_b', 'bob@acme.test', now());
    insert into members (org, user_id, role, created)
      values ('acme', 'usr_a', 'owner', now()), ('acme', 'usr_b', 'member', now()), ('admin', 'usr_a', 'owner', now());
    insert into apps (id, org, app, brand, name, type, redirect_uris, logout_uris, chooses, created, updated) values
      ('acme-web', 'acme', 'web', 'default', 'Web', 'public', '{}', '{}', false, now(), now()),
      ('admin-console', 'admin', 'console', 'default', 'Stoa', 'public', '{}', '{}', true, now(), now());
    insert into oidc (brand, model, digest, payload, user_id, client, org, consumed) values
      ('default', 'Grant', 'app', '{"iat": 1794733200}', 'usr_a', 'acme-web', null, now()),
      ('default', 'Grant', 'unused', '{"iat": 1794733200}', 'usr_a', 'acme-web', null, null),
      ('default', 'Grant', 'chosen', '{"iat": 1794733200}', 'usr_a', 'admin-console', 'acme', now()),
      ('default', 'Grant', 'not chosen', '{"iat": 1794733200}', 'usr_a', 'admin-console', null, now());
    insert into keys (id, org, user_id, member, name, type, prefix, digest, created, revoked_at) values
      ('key_live', 'acme', 'usr_a', 'usr_a', 'k', 'secret', 'sk', '1', now(), null),
      ('key_revoked', 'acme', 'usr_a', 'usr_a', 'k', 'secret', 'sk', '2', now(), now()),
      ('key_left', 'acme', 'usr_a', null, 'k', 'secret', 'sk', '3', now(), null);
    insert into users (id, email, created, password, password_by) values
      ('usr_gone', 'c@acme.test', now(), 'planted', 'gone'), ('usr_again', 'd@acme.test', now() - interval '1 day', 'planted', 'acme'),
      ('usr_here', 'e@acme.test', now(), 'given', 'acme');
    insert into oidc (brand, model, digest, payload, user_id) values ('default', 'Session', 'planted', '{}', 'usr_gone');
    insert into audit (org, at, credential, what, on_what, ip, request_id) values
      ('acme', now(), 'key_live', 'project.create', 'p', '127.0.0.1', 'req'),
      ('acme', now(), 'inv_1', 'invite.accept', 'usr_b', '127.0.0.1', 'inv_1'),
      ('admin', now(), 'key_live', 'org.delete', 'gone', '127.0.0.1', 'req'),
      ('admin', now(), 'key_live', 'org.delete', 'acme', '127.0.0.1', 'req');
    insert into event_settings values ('acme', true, false, 30);
    insert into event_deletions (org) values ('gone');
    insert into webhook_deleted_orgs (org) values ('gone'), ('gone-too');
    insert into ai_settings values ('acme', '[{"name": "fast", "model": "small"}]', '[]');
    insert into billing_orgs (org, spend_alerts, balance_alert) values
      ('acme', '{2000000,1000000}', -5000000), ('admin', '{}', null), ('gone', '{1000000}', null)`)
  const applied = await migrate(db, migrations)

  it('applies only the later migrations', () => {
    assert.deepEqual(
      applied.map(({ service, name }) => `${service}/${name}`),
      migrations.filter(one => !isEarlier(one)).map(({ service, name }) => `${service}/${name}`),
    )
  })

  it('continues to delete organisations with remaining rows', async () => {
    const rows = await db<{ slug: string }>`select slug from orgs where deleted is not null order by slug`
    assert.deepEqual([...rows], [{ slug: 'gone' }, { slug: 'gone-too' }])
  })

  it('keeps the slugs of deleted organisations from being used again, and ends the passwords their admins set', async () => {
    assert.deepEqual([...(await db`select slug from former_orgs`)], [{ slug: 'gone' }])
    const rows = await db<{ id: string }>`select id from users where password is not null`
    assert.deepEqual([...rows], [{ id: 'usr_here' }])
    assert.equal((await db`select from oidc where user_id = 'usr_gone'`).length, 0)
  })

  it('trusts only the app of Stoa itself', async () => {
    assert.deepEqual([...(await db`select id from apps where trusted`)], [{ id: 'admin-console' }])
  })

  it('marks the addresses of people who accepted an invitation as verified', async () => {
    const rows = await db<{ id: string }>`select id from users where email_verified is not null`
    assert.deepEqual([...rows], [{ id: 'usr_b' }])
  })

  it('gives members the address of their account', async () => {
    const rows = await db<{ org: string; email: string }>`select org, email from members order by org, email`
    assert.deepEqual(
      rows.map(({ org, email }) => `${org} ${email}`),
      ['acme ada@acme.test', 'acme bob@acme.test', 'admin ada@acme.test'],
    )
  })

  it('lists the sign-ins that have tokens, in the organisation chosen for them or of their app', async () => {
    const rows = await db<{ name: string; org: string | null; at: string | null }>`select
      convert_from(digest, 'UTF8') as name, org, signed_in as at from oidc order by 1`
    assert.deepEqual(
      rows.map(({ name, org, at }) => [name, org, at]),
      [
        ['app', 'acme', '2026-11-15T09:00:00.000Z'],
        ['chosen', 'acme', '2026-11-15T09:00:00.000Z'],
        ['not chosen', null, null],
        ['unused', null, null],
      ],
    )
  })

  it("keeps organisations' settings, also for processes of the previous version", async () => {
    const rows = await db<{ chosen: object }>`select chosen from org_settings where org = 'acme' order by service`
    assert.deepEqual(
      rows.map(({ chosen }) => chosen),
      [
        { aliases: [{ name: 'fast', model: 'small' }], fallbacks: [] },
        { spendAlerts: [1, 2], balanceAlert: -5 },
        { storeAddresses: true, scrub: false, retentionDays: 30 },
      ],
    )
    assert.equal((await db`select from org_settings`).length, rows.length)
    const [event] = await db<object>`select * from event_settings`
    assert.deepEqual(event, { org: 'acme', store_addresses: true, scrub: false, retention_days: 30 })
    const [ai] = await db<object>`select * from ai_settings`
    assert.deepEqual(ai, { org: 'acme', aliases: [{ name: 'fast', model: 'small' }], fallbacks: [] })
  })

  it('marks the keys that have ended', async () => {
    const rows = await db<{ id: string }>`select id from keys where ended order by id`
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['key_left', 'key_revoked'],
    )
  })

  it('keeps the audit trail, append-only', async () => {
    assert.equal((await db`select from audit`).length, 4)
    await assert.rejects(db.script('delete from audit'), /only ever added to/)
  })
})

describe('foreign keys', async () => {
  const { db, drop } = await testDatabase()
  after(drop)

  it('have an index on the referencing side, so that a delete does not read the whole table', async () => {
    const rows = await db<{ name: string }>`select conrelid::regclass || ' ' || conname as name from pg_constraint
      where contype = 'f' and not exists (
        select from pg_index where indrelid = conrelid and indkey[0] = any(conkey)
          and (indpred is null or pg_get_expr(indpred, indrelid) like '(% IS NOT NULL)'))`
    assert.deepEqual(
      rows.map(({ name }) => name),
      [],
    )
    assert.ok((await db`select from pg_constraint where contype = 'f'`).length > 10)
  })
})
