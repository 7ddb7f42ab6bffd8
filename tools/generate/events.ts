// The page of events emitted by the services, from their declarations.
import { isSubject } from '../../src/engines/log/subjects.ts'
import type { Section } from '../../src/host/openapi.ts'
import { type DeclaredEvent, eventsOf } from '../../src/kit/events.ts'
import { row } from './row.ts'
import { type Schema, shortType } from './types.ts'

type Entry = [subject: string, event: DeclaredEvent]

export function eventsText(sections: readonly Section[]): string {
  const events = [...eventsOf(sections)].sort(([a], [b]) => (a < b ? -1 : 1))
  const invalid = events.find(([subject]) => !isSubject(subject))
  if (invalid) throw new Error(`not a subject: ${invalid[0]}`)
  const families = Map.groupBy(events, ([subject]) => subject.split('.', 1)[0] as string)
  const names = [...families.keys()].map(name => `[${name}](#${name})`).join(', ')
  return `${[introduction(names), ...[...families].map(familyText)].join('\n\n')}\n`
}

const introduction = (
  families: string,
) => `<!-- GENERATED from the declarations by \`npm run generate\`; do not edit. -->

# Events

Stoa publishes changes in an organisation as events. An event is written in the transaction of the change it describes, so
neither exists without the other. Without a change there is no event. An event can arrive more than once, with the same
\`id\`.

An event is a [CloudEvents](https://cloudevents.io) 1.0 object with the extensions \`tenant\` and \`project\`:

\`\`\`json
{
  "specversion": "1.0",
  "id": "evt_4vJ9mWcX2bQeT7yLrK0sZp1n",
  "source": "https://stoa.example",
  "type": "project.domain.verified",
  "time": "2026-11-15T09:30:00.000Z",
  "tenant": "acme",
  "project": "web-shop",
  "data": { "slug": "web-shop", "host": "shop.example.com" }
}
\`\`\`

| field | description |
|---|---|
| \`id\` | The unique id of the event, \`evt_…\` |
| \`source\` | The URL of the host |
| \`type\` | The subject, as listed below |
| \`time\` | When it happened |
| \`tenant\` | The slug of the organisation; only this organisation gets the event |
| \`project\` | The slug of the project; absent if the change concerns no project |
| \`data\` | The changed data, as listed below. It never contains a password, the text of a key or token, or another secret |

Subjects are dot-separated. In a pattern of subjects \`*\` stands for one part and \`>\`, at the end, for one or more:
\`iam.member.*\`, \`project.>\`. New subjects, and new fields of \`data\`, may be added.

Indirect changes have no event of their own: the keys of a member who leaves, the host names of a deleted project, the
sign-ins of a person whose password changes, and everything that belonged to a deleted organisation. There are also no events
for things that expire, and for changes that concern only the person who makes them: their name and their password.

Events sent by your own code (\`POST /v1/event\`) have subjects \`event.<name>\`, which \`event.>\` matches, or subjects of
your own. Only Stoa emits the families on this page: ${families}.`

function familyText([family, events]: [string, Entry[]]): string {
  const rows = events.map(([subject, event]) => {
    const { description = '', properties = {}, required } = event.schema as Schema
    const data = Object.keys(properties).map(name => `\`${name}\`${required?.includes(name) ? '' : '?'}`)
    return row([`\`${subject}\``, description, data.join(', '), emittersOf(event)])
  })
  return [
    `## ${family}`,
    `| subject | when | data | emitted by |\n|---|---|---|---|\n${rows.join('\n')}`,
    'Fields of `data`; those with `?` may be absent:',
    `| field | type | description |\n|---|---|---|\n${fieldRows(events).join('\n')}`,
  ].join('\n\n')
}

function emittersOf({ operations, others }: DeclaredEvent): string {
  const links = operations.map(id => `[${id}](api/reference.md#${id.toLowerCase()})`)
  return [...links.sort(), ...others.sort()].join(', ')
}

/** A row for each field. A field with another meaning in another event has a row for each meaning. */
function fieldRows(events: readonly Entry[]): string[] {
  const subjects = new Map<string, Map<string, string[]>>()
  for (const [subject, { schema }] of events) {
    for (const [name, field] of fieldsOf(schema as Schema, '')) {
      const meanings = subjects.get(name) ?? new Map<string, string[]>()
      const meaning = row([`\`${shortType(field)}\``, field.description ?? '']).slice(2, -2)
      meanings.set(meaning, [...(meanings.get(meaning) ?? []), `\`${subject}\``])
      subjects.set(name, meanings)
    }
  }
  return [...subjects]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, meanings]) =>
      [...meanings].map(([meaning, where]) => {
        const context = meanings.size > 1 ? `; in ${where.join(', ')}` : ''
        return `| \`${name}\` | ${meaning}${context} |`
      }),
    )
}

function fieldsOf(schema: Schema, prefix: string): [name: string, field: Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [`${prefix}${name}`, field] as [string, Schema],
    ...fieldsOf(field, `${prefix}${name}.`),
  ])
}
