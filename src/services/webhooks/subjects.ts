// GET /v1/webhooks/subjects: which events can be sent to endpoints.
import { Type } from 'typebox'
import { eventsOf } from '../../kit/events.ts'
import { exampleOf } from '../../kit/example.ts'
import { string } from '../../kit/fields.ts'
import type { Service } from '../../kit/service.ts'
import { operation, type SubjectEntry } from './state.ts'

const Subject = Type.Object(
  {
    subject: string('The subject', 'project.created'),
    what: string('What happened', 'A project was created'),
    example: Type.Object({}, { additionalProperties: true, description: 'An example of the body', examples: [{}] }),
  },
  { title: 'WebhookSubject', description: 'An event that can be sent to endpoints' },
)

export const listWebhookSubjects = operation({
  route: 'GET /v1/webhooks/subjects',
  summary: 'Lists the events that can be sent to endpoints, with an example of each',
  description:
    'Events that the organisation itself sends with `POST /v1/event` can be sent too: `event.<name>`, and its own subjects.',
  access: 'bearer',
  output: Type.Object(
    { data: Type.Array(Subject, { description: 'All events, by subject' }) },
    { title: 'WebhookSubjects', description: 'The events of this service' },
  ),
  run: ({ state, caller }) => ({
    data: state.subjects.map(one => ({ ...one, example: { ...one.example, tenant: caller.org } })),
  }),
})

/** `source` is the URL at which clients reach this host. */
export function subjectsOf(services: readonly Service[], source: string): SubjectEntry[] {
  const entries = [...eventsOf(services)].sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([subject, { schema }]) => {
    const { description = '', properties = {} } = schema as {
      description?: string
      properties?: Record<string, object>
    }
    const data = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]))
    const about = { id: 'evt_4vJ9mWcX2bQeT7yLrK0sZp1n', source, type: subject, time: '2026-11-15T09:30:00.000Z' }
    return { subject, what: description, example: { specversion: '1.0', ...about, tenant: '', data } }
  })
}
