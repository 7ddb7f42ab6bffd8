// A delivery that failed, inserted into the database: no endpoint is called.
import { randomUUID } from 'node:crypto'
import type { TestHost } from './host.ts'

/** Of a new endpoint of `home`. */
export async function failedDelivery(host: TestHost): Promise<{ id: string; delivery: string }> {
  const { id } = (await host.call('POST /v1/webhooks', { body: { url: 'https://hooks.example.com/failing' } })).body
  const [event, delivery, now] = [randomUUID(), randomUUID(), host.clock.now().toISOString()]
  const { db } = host
  await db`insert into webhook_events (id, org, subject, body)
    values (${event}, ${host.home.org}, 'shop.order.created', '{}')`
  await db`insert into webhook_attempts
      (delivery, attempt, webhook, event, subject, created, status, http_status, error, duration_ms, is_resendable)
    values (${delivery}, 3, ${id}, ${event}, 'shop.order.created', ${now}, 'failed', 500, 'It answered 500.', 5, true)`
  return { id, delivery }
}
