// The schema: migrations of a database with rows, and indexes for foreign keys.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { migrate } from '../src/engines/db/migrate.ts'
import { allMigrations } from '../src/migrations.ts'
import { testDatabase } from './host.ts'

/** The migrations before the listings got their indexes. */
const LATER = ['iam/0011', 'account/0005']
const isEarlier = ({ service, name }: { service: string; name: string }) =>
  !LATER.some(prefix => `${service}/${name}`.startsWith(prefix))

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
    insert into audit (org, at, credential, what, on_what, ip, request_id)
      values ('acme', now(), 'key_live', 'project.create', 'p', '127.0.0.1', 'req')`)
  const applied = await migrate(db, migrations)

  it('applies the later migrations alone', () => {
    assert.deepEqual(
      applied.map(({ service, name }) => `${service}/${name.slice(0, 4)}`),
      LATER,
    )
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

  it('marks the keys that have ended', async () => {
    const rows = await db<{ id: string }>`select id from keys where ended order by id`
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['key_left', 'key_revoked'],
    )
  })

  it('keeps the audit trail, append-only', async () => {
    assert.equal((await db`select from audit`).length, 1)
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
