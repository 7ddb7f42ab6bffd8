// Events for the log: how services declare them, and how they are published in the transaction of the change they describe.
// Operations use the `emit` of their `write`; `emitting` is for other code, such as schedules.
import { isDeepStrictEqual } from 'node:util'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Engines, Envelope, Tx } from '../engines/engines.ts'
import type { OrgId } from './caller.ts'
import type { Emits } from './write.ts'

/** An event as declared in `emits`. `what` describes what happened; `data` must not contain secrets. */
export const event = <Subject extends string, Data extends TProperties>(subject: Subject, what: string, data: Data) =>
  ({ [subject]: Type.Object(data, { additionalProperties: false, description: what }) }) as Record<
    Subject,
    TObject<Data>
  >

export const Changed = Type.Array(Type.String(), {
  description: 'The names of the fields that changed',
  examples: [['name']],
})

/** `tenant` is the organisation that gets the event. */
export type EmitTo<E extends Emits, More extends unknown[] = []> = <Subject extends keyof E & string>(
  subject: Subject,
  data: Static<E[Subject]>,
  tenant: OrgId,
  ...more: More
) => void

export type Emitted = { subject: string; data: unknown; tenant: OrgId; project: string | null }

/** `source` of an event is the URL at which clients reach this host. */
export type Publishing = Pick<Engines, 'log' | 'clock' | 'random'> & { source: string }

/** Adds events in the transaction of the change they describe. They must be declared. */
export async function publish(by: Publishing, db: Tx, declared: Emits, events: readonly Emitted[]): Promise<void> {
  if (events.length === 0) return
  const envelopes = events.map(event => {
    if (!(event.subject in declared)) throw new Error(`the event ${event.subject} is not declared`)
    return envelopeOf(by, event)
  })
  await by.log.append(db, envelopes)
}

export function envelopeOf(by: Omit<Publishing, 'log'>, { subject: type, data, tenant, project }: Emitted): Envelope {
  const { source, clock, random } = by
  const [id, time] = [`evt_${random.token(24)}`, clock.now().toISOString()]
  return { specversion: '1.0', id, source, type, time, tenant, ...(project && { project }), data }
}

/** Does the work and publishes its events. `project` is the organisation's project that the events concern. */
export async function emitting<E extends Emits, T>(
  by: Publishing,
  db: Tx,
  declared: E,
  work: (emit: EmitTo<E, [project?: string]>) => Promise<T> | T,
): Promise<T> {
  const emitted: Emitted[] = []
  const done = await work((subject, data, tenant, project) => {
    emitted.push({ subject, data, tenant, project: project ?? null })
  })
  await publish(by, db, declared, emitted)
  return done
}

/** An event, the operations that emit it, and other emitters. */
export type DeclaredEvent = { schema: TSchema; operations: string[]; others: string[] }

type Emitting = { operations: Record<string, { emits: Emits }>; emits?: Record<string, Emits> }

/** All events that these services emit, by subject. A subject has the same data wherever it is declared. */
export function eventsOf(services: readonly Emitting[]): Map<string, DeclaredEvent> {
  const events = new Map<string, DeclaredEvent>()
  const add = (emits: Emits, by: { operation: string } | { other: string }) => {
    for (const [subject, schema] of Object.entries(emits)) {
      const event = events.get(subject) ?? { schema, operations: [], others: [] }
      if (!isDeepStrictEqual(event.schema, schema)) throw new Error(`two events have the subject ${subject}`)
      if ('operation' in by) event.operations.push(by.operation)
      else event.others.push(by.other)
      events.set(subject, event)
    }
  }
  for (const { operations, emits = {} } of services) {
    for (const [operation, one] of Object.entries(operations)) add(one.emits, { operation })
    for (const [other, one] of Object.entries(emits)) add(one, { other })
  }
  return events
}
