// Every listing of the product, and rows for it: the test of the rows examined and the benchmark of growth read this
// table. A new listing adds a line to LISTINGS, and a statement to `fillOrg` if its table has none.
import { fragment, type Sql } from '../src/engines/engines.ts'
import { DIMENSIONS, type Dimension } from '../src/engines/warehouse/counts.ts'
import type { OrgId } from '../src/kit/caller.ts'

/** `{owner}` and `{member}` in a path are the ids of these people, `{org}` is their organisation, `{recent}` is a time shortly before the last entry of
 *  the audit trail. */
export type Listing = {
  name: string
  path: string
  as: 'owner' | 'member' | 'signed in' | 'superadmin'
  /** Whether it has more than one page. */
  isPaged: boolean
}

const LIMIT = 'limit=10'
const listing = (name: string, path: string, as: Listing['as'] = 'owner', isPaged = true): Listing => ({
  name,
  path,
  as,
  isPaged,
})

export const LISTINGS: readonly Listing[] = [
  listing('projects', `/v1/projects?${LIMIT}`),
  listing('domains', `/v1/projects/p1/domains?${LIMIT}`),
  listing('organisations', `/v1/iam/orgs?${LIMIT}`, 'superadmin'),
  listing('organisations found', `/v1/iam/orgs?search=busy1&${LIMIT}`, 'superadmin'),
  listing('own organisation', `/v1/iam/orgs?${LIMIT}`),
  listing('members', `/v1/iam/members?${LIMIT}`),
  listing('customers', `/v1/iam/users?${LIMIT}`),
  listing('blocked customers', `/v1/iam/users?blocked=true&${LIMIT}`),
  listing('customers found by address', `/v1/iam/users?search=c&${LIMIT}`),
  listing('customers found by name', `/v1/iam/users?search=lovelace&${LIMIT}`),
  listing('blocked customers found', `/v1/iam/users?search=c&blocked=true&${LIMIT}`),
  listing('sign-ins of a customer', `/v1/iam/sessions?user=cus_{org}0&${LIMIT}`),
  listing('invites', `/v1/iam/invites?${LIMIT}`),
  listing('own invitations', `/v1/iam/me/invitations?${LIMIT}`, 'signed in'),
  listing('apps', `/v1/iam/apps?${LIMIT}`),
  listing('workspaces', `/v1/iam/workspaces?${LIMIT}`),
  listing('sign-ins', `/v1/iam/sessions?${LIMIT}`),
  listing('own sign-ins', `/v1/iam/sessions?${LIMIT}`, 'member'),
  listing('audit trail', `/v1/iam/audit?${LIMIT}`),
  listing('audit trail of a person', `/v1/iam/audit?user={owner}&${LIMIT}`),
  listing('audit trail of nobody', `/v1/iam/audit?user=usr_nobody&${LIMIT}`),
  listing('audit trail of an action', `/v1/iam/audit?what=key.create&${LIMIT}`),
  listing('audit trail since lately', `/v1/iam/audit?since={recent}&${LIMIT}`),
  listing('audit trail since long ago', `/v1/iam/audit?since=2000-01-01T00:00:00Z&${LIMIT}`),
  listing('keys', `/v1/account/keys?${LIMIT}`),
  listing('active keys', `/v1/account/keys?status=active&${LIMIT}`),
  listing('expired keys', `/v1/account/keys?status=expired&${LIMIT}`),
  listing('revoked keys', `/v1/account/keys?status=revoked&${LIMIT}`),
  listing('own keys', `/v1/account/keys?${LIMIT}`, 'member'),
  listing('own active keys', `/v1/account/keys?status=active&${LIMIT}`, 'member'),
  listing('own expired keys', `/v1/account/keys?status=expired&${LIMIT}`, 'member'),
  listing('own revoked keys', `/v1/account/keys?status=revoked&${LIMIT}`, 'member'),
  listing('events', `/v1/event?${LIMIT}`),
  listing('names of events', `/v1/event/insights/events?range=day&${LIMIT}`),
  listing('groups of errors', `/v1/event/errors?range=day&${LIMIT}`, 'owner', false),
  listing('events of a time', `/v1/event/events?range=day&${LIMIT}`),
  listing('events since lately', `/v1/event/events?from={recent}&${LIMIT}`),
  listing('errors', `/v1/errors?${LIMIT}`, 'owner', false),
  listing('errors of a group', `/v1/errors/f?${LIMIT}`, 'owner', false),
  listing('dead letters', `/v1/o11y/dead-letters?${LIMIT}`, 'superadmin'),
  listing('usage', `/v1/billing/usage?${LIMIT}`),
  listing('usage of a key', `/v1/billing/usage?key=key_1&${LIMIT}`),
  listing('usage of a project', `/v1/billing/usage?project=p1&${LIMIT}`),
  listing('usage of a model', `/v1/billing/usage?model=m1&${LIMIT}`),
  listing('usage of nobody', `/v1/billing/usage?key=key_nobody&${LIMIT}`),
  listing('usage since lately', `/v1/billing/usage?since={recent}&${LIMIT}`),
  listing('usage by day', `/v1/billing/usage/summary?${LIMIT}`),
  listing('usage by everything', `/v1/billing/usage/summary?by=day,key,model,project,product&${LIMIT}`),
  listing('usage by key since lately', `/v1/billing/usage/summary?by=key&since={recent}&${LIMIT}`),
  listing('journal', `/v1/billing/journal?${LIMIT}`),
  listing('model requests', `/v1/ai/requests?${LIMIT}`),
  listing('providers', `/v1/ai/providers?${LIMIT}`, 'superadmin'),
  listing('credits', `/v1/billing/credits?${LIMIT}`),
  listing('webhooks', `/v1/webhooks?${LIMIT}`),
  listing('deliveries', `/v1/webhooks/wh_{org}0/deliveries?${LIMIT}`),
  listing('failed deliveries', `/v1/webhooks/wh_{org}0/deliveries?status=failed&${LIMIT}`),
  listing('deliveries of a subject', `/v1/webhooks/wh_{org}0/deliveries?subject=shop.rare&${LIMIT}`),
  listing(
    'failed deliveries of a subject',
    `/v1/webhooks/wh_{org}0/deliveries?subject=shop.rare&status=failed&${LIMIT}`,
  ),
  listing(
    'deliveries of a subject without a status',
    `/v1/webhooks/wh_{org}0/deliveries?subject=shop.order&status=retrying&${LIMIT}`,
  ),
  listing('deliveries until long ago', `/v1/webhooks/wh_{org}0/deliveries?until=2000-01-01T00:00:00Z&${LIMIT}`),
  listing('deliveries since lately', `/v1/webhooks/wh_{org}0/deliveries?since={recent}&${LIMIT}`),
  listing('risk overrides', `/v1/risk/reference/domain?${LIMIT}`),
]

export type FilledOrg = { org: OrgId; owner: string; member: string }

/** The time of the newest row; `{recent}` is 20 seconds before. */
export const pathOf = ({ path }: Listing, { org, owner, member }: FilledOrg, now: string): string =>
  path
    .replace('{org}', org)
    .replace('{owner}', owner)
    .replace('{member}', member)
    .replace('{recent}', new Date(Date.parse(now) - 20_000).toISOString())

/** A number of active keys that both sizes of a table have: it is bounded, unlike that of others. */
const ACTIVE_KEYS = 20

/** Adds `count` rows to each table of an organisation. Row n is n seconds old, apart from the audit trail, whose last
 *  entry is the newest. */
export async function fillOrg(db: Sql, { org, owner, member }: FilledOrg, count: number, now: string) {
  const each = count - 1
  await db`insert into projects (org, slug, name, created, updated)
    select ${org}, 'p' || n, 'Project', ${now}, ${now} from generate_series(0, ${each}::int) as n`
  await db`insert into domains (org, project, host, token, created)
    select ${org}, 'p1', ${org}::text || n || '.example.com', 'token', ${now} from generate_series(0, ${each}::int) as n`
  await db`insert into users (id, email, created)
    select 'usr_' || ${org}::text || n, 'p' || n || '@' || ${org}::text || '.test', ${now} from generate_series(0, ${each}::int) as n`
  await db`insert into members (org, user_id, email, role, created)
    select ${org}, 'usr_' || ${org}::text || n, 'p' || n || '@' || ${org}::text || '.test', 'member', ${now}
    from generate_series(0, ${each}::int) as n`
  await db`insert into invites (id, org, email, role, digest, invited_by, created, expires)
    select 'inv_' || ${org}::text || n, ${org}, 'i' || n || '@' || ${org}::text || '.test', 'member',
      sha256((${org}::text || n)::bytea), 'somebody', ${now}::timestamptz - make_interval(secs => n),
      ${now}::timestamptz + interval '7 days'
    from generate_series(0, ${each}::int) as n`
  await db`insert into apps (id, org, app, brand, name, type, redirect_uris, logout_uris, created, updated)
    select ${org}::text || '-a' || n, ${org}, 'a' || n, 'default', 'App', 'public', '{}', '{}', ${now}, ${now}
    from generate_series(0, ${each}::int) as n`
  await fillCustomers(db, org, count, now)
  await db`insert into workspaces (id, org, name, secret, created)
    select 'wsp_' || ${org}::text || n, ${org}, 'Workspace', '', ${now}::timestamptz - make_interval(secs => n)
    from generate_series(0, ${each}::int) as n`
  await db`insert into risk_overrides (org, set_name, key, verdict, by, at)
    select ${org}, 'domain', 'k' || n || '.example.com', 'deny', 'somebody', ${now}
    from generate_series(0, ${each}::int) as n`
  await db`insert into orgs (slug, name, created, updated)
    select ${org}::text || n, 'Organisation', ${now}, ${now} from generate_series(0, ${each}::int) as n`
  await db`insert into members (org, user_id, email, role, created)
    select ${org}::text || n, id, email, 'owner', ${now} from users, generate_series(0, ${each}::int) as n where id = ${owner}`
  await db`insert into invites (id, org, email, role, digest, invited_by, created, expires)
    select 'inv_to' || ${org}::text || n, ${org}::text || n, invited.email, 'member', sha256(('to' || ${org}::text || n)::bytea),
      inviting.email, ${now}::timestamptz - make_interval(secs => n), ${now}::timestamptz + interval '7 days'
    from users as invited, users as inviting, generate_series(0, ${each}::int) as n
    where invited.id = ${member} and inviting.id = ${owner}`
  await fillEvents(db, org, count, now)
  await db`insert into dead_letters (consumer, tenant, subject, envelope, error, at)
    select 'consumer', ${org}, 'project.created',
      '{"id":"evt_1","type":"project.created","tenant":"home","time":"2026-11-15T09:30:00.000Z"}', 'failed', ${now}
    from generate_series(0, ${each}::int) as n`
  await db`insert into billing_transfers (id, org, from_kind, to_kind, amount, created, product, model, key, project, metadata)
    select 'txn_' || ${org}::text || n, ${org}, 'balance', 'revenue', 1, ${now}::timestamptz - make_interval(secs => n),
      case when n % 4 > 0 then 'ai' end, 'm' || n % 2, 'key_' || n % 2, 'p' || n % 2, '{"reason": "paid"}'
    from generate_series(0, ${each}::int) as n`
  await db`insert into billing_hours (org, hour, product, key, project, model, count, amount)
    select org, date_trunc('hour', created), product, key, project, model, count(*), sum(amount) from billing_transfers
    where org = ${org} and product is not null group by 1, 2, 3, 4, 5, 6`
  await db`insert into ai_requests (id, org, created, model, wire, streamed, attempts, total_ms, input_tokens, output_tokens, estimated)
    select 'req_' || ${org}::text || n, ${org}, ${now}::timestamptz - make_interval(secs => n), 'm', 'chat', false, 1, 1, 1, 1, false
    from generate_series(0, ${each}::int) as n`
  await db`insert into ai_providers (name, kind, base_url, models, created, updated)
    select ${org}::text || n, 'compatible', 'https://models.example.com', '[]', ${now}, ${now}
    from generate_series(0, ${each}::int) as n`
  await fillWebhooks(db, org, count, now)
  for (const user of [owner, member]) await fillUser(db, { org, user }, count, now)
}

/** One of twenty is blocked. All sign-ins are of the first. */
export async function fillCustomers(db: Sql, org: OrgId, count: number, now: string) {
  const each = count - 1
  await db`insert into customers (id, org, email, name, email_verified, blocked, created, updated)
    select 'cus_' || ${org}::text || n, ${org}, 'c' || n || '@example.com', 'Ada Lovelace', ${now},
      case when n % 20 = 0 then ${now}::timestamptz end, ${now}::timestamptz - make_interval(secs => n), ${now}
    from generate_series(0, ${each}::int) as n`
  await db`insert into customer_terms (org, blocked, term, customer)
    select org, blocked is not null, term, id from customers, unnest(array[email, '@example.com', 'ada', 'lovelace']) as term
    where org = ${org} on conflict do nothing`
  await db`insert into oidc (brand, model, digest, payload, user_id, client, org, expires, consumed, signed_in)
    select 'default', 'Grant', sha256(('customer ' || ${org}::text || n)::bytea), '{"iat": 1794733200}',
      'cus_' || ${org}::text || '0', ${org}::text || '-a0', ${org}, ${now}::timestamptz + interval '90 days', ${now},
      ${now}::timestamptz - make_interval(secs => n)
    from generate_series(0, ${each}::int) as n`
}

/** All deliveries are to the first endpoint. Every third one failed; few are of a rare subject. */
async function fillWebhooks(db: Sql, org: OrgId, count: number, now: string) {
  const each = count - 1
  await db`insert into webhooks (id, org, url, events, description, status, secret, created, updated)
    select 'wh_' || ${org}::text || n, ${org}, 'https://hooks.example.com', '{}', '', 'active', '',
      ${now}::timestamptz - make_interval(secs => n), ${now}
    from generate_series(0, ${each}::int) as n`
  await db`insert into webhook_attempts
      (delivery, attempt, webhook, event, subject, created, status, http_status, duration_ms, is_resendable)
    select md5(${org}::text || n)::uuid, 1, 'wh_' || ${org}::text || '0', md5(${org}::text || n)::uuid,
      case when n % 50 = 0 then 'shop.rare' else 'shop.order' end, ${now}::timestamptz - make_interval(secs => n),
      case when n % 3 = 0 then 'failed' else 'ok' end, 200, 5, n % 3 = 0
    from generate_series(0, ${each}::int) as n`
}

async function fillUser(db: Sql, { org, user }: { org: OrgId; user: string }, count: number, now: string) {
  const each = count - 1
  await db`insert into audit (org, at, user_id, email, credential, what, on_what, ip, request_id)
    select ${org}, ${now}::timestamptz - make_interval(secs => ${count}::int - n), ${user}, 'somebody', 'key',
      case n % 2 when 0 then 'key.create' else 'project.create' end, 'p', '127.0.0.1', 'req'
    from generate_series(1, ${count}::int) as n`
  await db`insert into oidc (brand, model, digest, payload, user_id, client, org, expires, consumed, signed_in)
    select 'default', 'Grant', sha256((${user}::text || n)::bytea), '{"iat": 1794733200}', ${user},
      ${org}::text || '-a' || n, ${org}, ${now}::timestamptz + interval '90 days', ${now},
      ${now}::timestamptz - make_interval(secs => n)
    from generate_series(0, ${each}::int) as n`
  // Some active ones among a third each of expired, revoked and left behind by a person who is no longer a member.
  await db`insert into keys (id, org, user_id, member, name, type, prefix, digest, created, expires, revoked_at)
    select 'key_' || ${user}::text || n, ${org}, ${user}, case when is_active or n % 3 < 2 then ${user} end, 'Key', 'secret', 'sk-0',
      sha256((${user}::text || n)::bytea), ${now}::timestamptz - make_interval(secs => n),
      case when not is_active and n % 3 = 0 then ${now}::timestamptz - interval '1 day' end,
      case when not is_active and n % 3 = 1 then ${now}::timestamptz end
    from (select n, n % (${count}::int / ${ACTIVE_KEYS}::int) = 0 as is_active from generate_series(0, ${each}::int) as n) as one`
}

/** Errors, each of another visitor, with five names. */
async function fillEvents(db: Sql, org: OrgId, count: number, now: string) {
  await db`insert into events (received, timestamp, clamped, org, id, wire, event, fingerprint, properties, arrival, visitor, session)
    select ${now}::timestamptz - make_interval(secs => n), ${now}::timestamptz - make_interval(secs => n), false, ${org}, 'evt_' || n,
      'native', case when n % 5 = 0 then '$exception' else 'error ' || n % 5 end, 'f', '{}', ${count}::int - n, 'visitor ' || n,
      md5(n::text)::uuid
    from generate_series(0, ${count - 1}::int) as n`
  for (const [dimension, value] of Object.entries({
    all: fragment`''`,
    event: fragment`event`,
    error: fragment`fingerprint`,
  })) {
    await db`insert into event_counts (org, scope, dimension, level, at, value, events, pageviews, sessions, bounces, ms, amount,
        first, last, people, visitors)
      select org, '', ${DIMENSIONS[dimension as Dimension]}, 0, date_bin('15 min', timestamp, '2000-01-01Z'), ${value}, count(*), 0, count(*), 0, 0, 0,
        min(timestamp), max(timestamp), count(*), '\\x00' || string_agg(substr(sha256(visitor::bytea), 1, 8), '')
      from events where org = ${org} group by org, 5, 6`
  }
  await db`insert into event_errors (org, scope, fingerprint, first, last, example, example_received, releases)
    select org, '', fingerprint, min(timestamp), max(timestamp), 'evt_0', ${now}, '{}' from events where org = ${org} group by 1, 2, 3`
}
