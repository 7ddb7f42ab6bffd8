// Long lists for the console: rows written into the database of a started host, which no API creates quickly.
import { createHash } from 'node:crypto'
import type { World } from './console.ts'
import { withDatabase } from './console-database.ts'

const LIVE_KEYS = 1_000
export const MANY = 10_000

/** Of the nth newest key. */
export const keyId = (org: string, n: number) => `key_${createHash('md5').update(`${org}${n}`).digest('hex')}`

/** After the first key of the organisation. The newest are active, all others revoked. */
export const addKeys = async (world: World) => {
  const { user } = (await world.owner('GET /v1/iam/me')).body
  await withDatabase(world, async db => {
    await db`insert into keys (id, org, user_id, member, name, type, prefix, digest, created, revoked_at)
      select 'key_' || md5(${world.org}::text || n), ${world.org}, ${user}, ${user}, 'Key ' || n, 'secret', 'sk-0',
        sha256((${world.org}::text || n)::bytea), now() - make_interval(secs => 60 + n),
        case when n > ${LIVE_KEYS}::int then now() end
      from generate_series(1, ${MANY}::int) as n`
    await db`analyze keys`
  })
}

export const addMembers = (world: World) =>
  withDatabase(world, async db => {
    const { org } = world
    await db`insert into users (id, email, created)
      select 'usr_' || md5(${org}::text || n), 'p' || n || '@' || ${org}::text || '.example', now()
      from generate_series(1, ${MANY}::int) as n`
    await db`insert into members (org, user_id, email, role, created)
      select ${org}, 'usr_' || md5(${org}::text || n), 'p' || n || '@' || ${org}::text || '.example', 'member',
        now() - make_interval(secs => n)
      from generate_series(1, ${MANY}::int) as n`
    await db`analyze members`
  })

/** Of one endpoint, whose id is returned. Every hundredth failed. */
export const addDeliveries = (world: World) =>
  withDatabase(world, async db => {
    const { org } = world
    const id = `wh_${org.replaceAll('-', '')}`
    await db`insert into webhooks (id, org, url, events, description, status, secret, created, updated)
      values (${id}, ${org}, 'https://hooks.example.com', '{}', '', 'disabled', '', now(), now())`
    await db`insert into webhook_attempts
        (delivery, attempt, webhook, event, subject, created, status, http_status, duration_ms, is_resendable)
      select md5(${org}::text || n)::uuid, 1, ${id}, md5(${org}::text || n)::uuid, 'shop.order', now() - make_interval(secs => n),
        case when n % 100 = 0 then 'failed' else 'ok' end, 200, 5, false
      from generate_series(1, ${MANY}::int) as n`
    await db`analyze webhook_attempts`
    return id
  })
