// A delivery that failed, inserted into the database: no endpoint is called.
import { randomUUID } from 'node:crypto'
import type { TestHost } from './host.ts'

/** Of a new endpoint of `home`. */
export async function failedDelivery(host: TestHost): Promise<{ id: string; delivery: string }> {
  const { id } = (await host.call('POST /v1/webhooks', { body: { url: 'https://hooks.example.com/failing' } })).body
  const [event, delivery, now] = [randomUUID(), randomUUID(), host.clock.now().toISOString()]
  const { db } = host
  await db`insert into webhook_events (id, org, subject, body, created)
    values (${event}, ${host.home.org}, 'shop.order.created', '{}', ${now})`
  await db`insert into webhook_deliveries (id, webhook, event, attempts, attempts_max, outcome, created)
    values (${delivery}, ${id}, ${event}, 1, 3, 'failed', ${now})`
  await db`insert into webhook_attempts (delivery, attempt, webhook, subject, created, status, http_status, error, duration_ms)
    values (${delivery}, 1, ${id}, 'shop.order.created', ${now}, 'failed', 500, 'It answered 500.', 5)`
  return { id, delivery }
}
