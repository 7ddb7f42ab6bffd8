import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Sql, SqlValue, Tx } from '../engines.ts'
import { sendAtOnce } from './at-once.ts'

it('the same writes are sent with the same template, because the driver keeps each that it has seen', async () => {
  const templates: TemplateStringsArray[] = []
  const send = (async (strings: TemplateStringsArray, ..._: SqlValue[]) => {
    templates.push(strings)
    return []
  }) as Sql
  const add = (tx: Tx, id: number) => tx`insert into things values (${id})`
  const name = (tx: Tx, text: string) => tx`insert into names values (${text})`
  await sendAtOnce(send, tx => Promise.all([add(tx, 1), name(tx, 'a')]))
  await sendAtOnce(send, tx => Promise.all([add(tx, 2), name(tx, 'b')]))
  await sendAtOnce(send, tx => Promise.all([name(tx, 'c'), add(tx, 3)]))
  const [first, second, third] = templates
  assert.equal(first, second)
  assert.notEqual(first, third)
  assert.equal(
    first?.join('?'),
    'with write_0 as (insert into names values (?)), write_1 as (insert into things values (?)) select',
  )
})
