import { string } from '../../kit/fields.ts'

export const ModelName = (what: string, example: string) =>
  string(`${what}: 1 to 200 visible ASCII characters`, example, { pattern: '^[\\x21-\\x7e]{1,200}$' })
