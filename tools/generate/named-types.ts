// The types of schemas that have a `title`, each declared once under that name.
import { isDeepStrictEqual } from 'node:util'
import { definitionText, docComment, type NameOf, type Schema } from './types.ts'

/** Keywords that may differ where a named schema occurs. They describe the occurrence. */
const OF_THE_OCCURRENCE = ['description', 'examples']

/** `nameOf` declares a type when it is first named; `takeDeclarations` returns those declared since it was last called. A
 *  title must not be one of the names `taken` by the rest of the module. */
export function openNamedTypes(taken: ReadonlySet<string>) {
  const known = new Map<string, object>()
  const declarations: string[] = []

  const nameOf: NameOf = schema => {
    const { title } = schema
    if (title === undefined) return null
    const shape = shapeOf(schema)
    const earlier = known.get(title)
    if (earlier && !isDeepStrictEqual(earlier, shape)) throw new Error(`Two different schemas have the title ${title}`)
    if (earlier) return title
    if (!/^[A-Z][A-Za-z0-9]*$/.test(title)) throw new Error(`The title "${title}" is no name of a type`)
    if (taken.has(title)) throw new Error(`The client uses the name ${title}; choose another title`)
    known.set(title, shape)
    const comment = schema.description ? `${docComment(schema.description, '')}\n` : ''
    declarations.push(`${comment}export type ${title} = ${definitionText(schema, '', nameOf)}`)
    return title
  }

  return { nameOf, takeDeclarations: () => declarations.splice(0) }
}

/** As it is written in JSON: TypeBox adds properties of its own, which are not enumerable. */
function shapeOf(schema: Schema): object {
  const entries = Object.entries(schema).filter(([keyword]) => !OF_THE_OCCURRENCE.includes(keyword))
  return JSON.parse(JSON.stringify(Object.fromEntries(entries)))
}
