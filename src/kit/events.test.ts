// The declarations of events: those of the product, and invalid ones.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { startHost } from '../../test/host.ts'
import { isSubject } from '../engines/log/subjects.ts'
import { services } from '../services/index.ts'
import { nothing } from './answer.ts'
import type { OrgId } from './caller.ts'
import { emitting, event, eventsOf } from './events.ts'
import { SECRET } from './fields.ts'
import { type Operation, operation } from './operation.ts'

type Schema = TSchema & { description?: string; examples?: unknown[]; properties?: Record<string, Schema> }

describe('the events of the product', () => {
  for (const [subject, { schema }] of eventsOf(services)) {
    it(subject, () => {
      assert.ok(isSubject(subject))
      assert.match(
        subject,
        /^[a-z]+([.][a-z_]+){0,2}[.][a-z_]*(ed|en|in|lost|failing)$/,
        'the last part says what has happened',
      )
      assertDescribed(schema, subject)
      assert.ok(!JSON.stringify(schema).includes(`"${SECRET}"`), 'a secret')
    })
  }

  function assertDescribed({ description, properties = {} }: Schema, path: string): void {
    assert.ok(description, `${path} needs a description`)
    for (const [name, field] of Object.entries(properties)) assertDescribed(field, `${path} ${name}`)
  }
})

describe('the declaration of events', () => {
  const emitter = (emits: Record<string, TSchema>): { operations: Record<string, Operation> } => {
    const common = { route: 'POST /v1/x', summary: 'x', access: 'bearer', audit: 'none', output: nothing } as const
    return { operations: { x: operation({ ...common, emits, run: () => {} }) } }
  }

  it('names all that emit an event', () => {
    const made = event('x.made', 'It was made', { id: Type.String() })
    const found = eventsOf([{ ...emitter(made), emits: { 'the nightly job': made } }])
    assert.deepEqual(
      [...found],
      [['x.made', { schema: made['x.made'], operations: ['x'], others: ['the nightly job'] }]],
    )
  })

  it('is refused if a subject has two kinds of data', () => {
    const [one, other] = [event('x.made', 'It was made', {}), event('x.made', 'It was made again', {})]
    assert.throws(() => eventsOf([emitter(one), emitter(other)]), /two events have the subject x\.made/)
  })

  it('is needed for every event', async t => {
    const { engines, emitted } = await startHost({}, t)
    const wrong = engines.db.transaction(db =>
      emitting({ ...engines, source: 'https://x' }, db, event('x.made', 'It was made', {}), emit => {
        emit('x.unmade' as 'x.made', {}, 'home' as OrgId)
      }),
    )
    await assert.rejects(wrong, /x\.unmade is not declared/)
    assert.deepEqual(emitted, [])
  })
})
