// Examples of inputs. The derived tests send the same ones.
import { type ExampleSchema, exampleOf } from '../../kit/example.ts'
import type { Operation } from '../../kit/operation.ts'

/** The fields of an input's example: the required ones, and fields of the body with an example. Optional times are left
 *  out, because an example would soon be in the past. */
export function exampleFields({ input, pathFields, bodyKind }: Operation): Record<string, unknown> {
  const { properties = {}, required = [] } = input as ExampleSchema
  const isShown = (name: string, { examples, format }: ExampleSchema) =>
    bodyKind === 'json' && !pathFields.includes(name) && examples && format !== 'date-time'
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, field]) => required.includes(name) || isShown(name, field))
      .map(([name, field]) => [name, exampleOf(field)]),
  )
}
