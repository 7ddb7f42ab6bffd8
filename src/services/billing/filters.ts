// What usage can be filtered by.
import { Type } from 'typebox'
import { string, timestamp } from '../../kit/fields.ts'
import type { UsageFilter } from './store.ts'

const name = (description: string, example: string) =>
  Type.Optional(string(description, example, { minLength: 1, maxLength: 200 }))

export const usageFilters = {
  since: Type.Optional(timestamp('Only what was settled then or later')),
  until: Type.Optional(timestamp('Only what was settled before')),
  key: name('Only what this key used', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
  project: name('Only what was used in this project', 'web-shop'),
  model: name('Only calls of this model', 'gpt-5-mini'),
  product: name('Only usage of this product', 'ai'),
}

type Query = { since?: string; until?: string; key?: string; project?: string; model?: string; product?: string }

export const filterOf = ({ since, until, key = '', project = '', model = '', product = '' }: Query): UsageFilter => ({
  ...{ key, project, model, product },
  since: since ?? '-infinity',
  until: until ?? 'infinity',
})
