// The events about endpoints.
import { Changed, event } from '../../kit/events.ts'
import { string, timestamp } from '../../kit/fields.ts'

const endpoint = {
  id: string("The endpoint's id", 'wh_4vJ9mWcX2bQeT7yLrK0sZp1n'),
  url: string('Its URL', 'https://hooks.example.com/stoa'),
}

export const endpointCreated = event('webhook.endpoint.created', 'An endpoint for events was created', endpoint)
export const endpointUpdated = event('webhook.endpoint.updated', 'An endpoint for events was changed', {
  ...endpoint,
  changed: Changed,
})
export const endpointRotated = event('webhook.endpoint.rotated', 'An endpoint for events has a new secret', {
  id: endpoint.id,
})
export const endpointDeleted = event('webhook.endpoint.deleted', 'An endpoint for events was deleted', endpoint)

export const endpointFailing = event(
  'webhook.endpoint.failing',
  'No delivery to an endpoint has succeeded for an hour, although some were tried',
  { ...endpoint, since: timestamp('The first attempt that failed') },
)
