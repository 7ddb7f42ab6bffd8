import { Type } from 'typebox'

export const ModelName = (what: string, example: string) =>
  Type.String({
    pattern: '^[\\x21-\\x7e]{1,200}$',
    description: `${what}: 1 to 200 visible ASCII characters`,
    examples: [example],
  })
