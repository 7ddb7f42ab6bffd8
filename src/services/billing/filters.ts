// The filters for usage.
import { Type } from 'typebox'
import { string, timestamp } from '../../kit/fields.ts'
import type { UsageFilter } from './store.ts'

const name = (description: string, example: string) =>
  Type.Optional(string(description, example, { minLength: 1, maxLength: 200 }))

export const usageFilters = {
  since: Type.Optional(timestamp('Only usage settled at or after this time')),
  until: Type.Optional(timestamp('Only usage settled before this time')),
  key: name('Only usage of this key', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
  project: name('Only usage in this project', 'web-shop'),
  model: name('Only calls to this model', 'gpt-5-mini'),
  product: name('Only usage of this product', 'ai'),
}

type Query = { since?: string; until?: string; key?: string; project?: string; model?: string; product?: string }

export const filterOf = ({ since, until, key = '', project = '', model = '', product = '' }: Query): UsageFilter => ({
  ...{ key, project, model, product },
  since: since ?? '-infinity',
  until: until ?? 'infinity',
})
