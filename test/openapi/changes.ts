// Compares two versions of the OpenAPI document and lists changes that break clients of the earlier one. An input breaks
// them if it accepts less than before, an answer if something is missing or may have another type.
import { type Document, type Documented, JSON_TYPE, operationsIn, type Response, resolve, type Schema } from './read.ts'

type Report = (change: string) => void
/** Two versions of a schema, their path, and the findings. */
type Pair = { before: Schema; after: Schema; at: string; report: Report }
type Documents = { before: Document; after: Document }

/** One line for each change, sorted. */
export function breakingChanges(before: Document, after: Document): string[] {
  const lines = new Set<string>()
  const present = new Map(operationsIn(after).map(one => [one.route, one]))
  for (const old of operationsIn(before)) {
    const current = present.get(old.route)
    const report = (change: string) => lines.add(`${old.route}: ${change}`)
    if (!current) report('the operation was removed')
    else {
      compareOperations({ before, after }, old, current, report)
      compareAnswers({ before, after }, old, current, report, change => lines.add(`Fault: ${change}`))
    }
  }
  return [...lines].sort()
}

function compareOperations(documents: Documents, old: Documented, current: Documented, report: Report): void {
  const [a, b] = [old.entry, current.entry]
  if (a.operationId !== b.operationId) report(`its id changed from ${a.operationId} to ${b.operationId}`)
  const isOpen = (security: unknown[] | undefined) => security?.length === 0
  if (isOpen(a.security ?? documents.before.security) && !isOpen(b.security ?? documents.after.security)) {
    report('it needs a credential now')
  }
  compareParameters(documents, old, current, report)
  const bodyOf = ({ requestBody }: Documented['entry']) => requestBody?.content[JSON_TYPE]?.schema ?? NO_BODY
  compareInputs(documents, { before: bodyOf(a), after: bodyOf(b), at: '', report })
}

/** No body is accepted like one without fields. */
const NO_BODY: Schema = { type: 'object', additionalProperties: false }

function compareParameters(documents: Documents, old: Documented, current: Documented, report: Report): void {
  const byName = ({ entry }: Documented) =>
    new Map((entry.parameters ?? []).map(one => [`the ${one.in} parameter \`${one.name}\``, one]))
  const [before, after] = [byName(old), byName(current)]
  for (const [name, parameter] of before) {
    const now = after.get(name)
    if (!now) report(`${name} was removed`)
    else {
      if (now.required && !parameter.required) report(`${name} is required now`)
      const told = (change: string) => report(change.replace('the input', name))
      compareInputs(documents, { before: parameter.schema, after: now.schema, at: '', report: told })
    }
  }
  for (const [name, { required }] of after) if (required && !before.has(name)) report(`${name} is new and required`)
}

const named = (kind: string, at: string) => (at === '' ? kind : `${kind} \`${at}\``)
const below = (at: string, name: string) => (at === '' ? name : `${at}.${name}`)

function compareInputs(documents: Documents, { before, after, at, report }: Pair): void {
  const [a, b] = [resolve(documents.before, before), resolve(documents.after, after)]
  const name = named('the input', at)
  const lost = missingFrom(typesOf(documents.after, b), typesOf(documents.before, a))
  if (lost.length > 0) {
    report(`${name} no longer accepts ${lost.join(' or ')}`)
    return
  }
  for (const change of narrowings(a, b)) report(`${name} ${change}`)
  const [objectBefore, objectAfter] = [variant(documents.before, a, 'object'), variant(documents.after, b, 'object')]
  if (objectBefore && objectAfter) compareInputFields(documents, objectBefore, objectAfter, at, report)
  const [items, now] = [variant(documents.before, a, 'array')?.items, variant(documents.after, b, 'array')?.items]
  if (items && now) compareInputs(documents, { before: items, after: now, at: `${at}[]`, report })
}

function compareInputFields(documents: Documents, a: Schema, b: Schema, at: string, report: Report): void {
  const [before, after] = [a.properties ?? {}, b.properties ?? {}]
  const isNowRequired = (name: string) => b.required?.includes(name) && !a.required?.includes(name)
  for (const [name, field] of Object.entries(before)) {
    const now = after[name]
    const path = below(at, name)
    if (!now) report(`${named('the input', path)} was removed`)
    else {
      if (isNowRequired(name)) report(`${named('the input', path)} is required now`)
      compareInputs(documents, { before: field, after: now, at: path, report })
    }
  }
  for (const name of Object.keys(after)) {
    if (!(name in before) && isNowRequired(name)) report(`${named('the input', below(at, name))} is new and required`)
  }
}

/** An upper bound that is lower or new, a lower bound that is higher or new, and other rules that are new or changed. */
function narrowings(a: Schema, b: Schema): string[] {
  const found: string[] = []
  for (const keyword of ['maxLength', 'maxItems', 'maximum', 'maxProperties']) {
    const [was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY] = [a[keyword], b[keyword]] as number[]
    if (is < was) found.push(`has a lower ${keyword}: ${is}`)
  }
  for (const keyword of ['minLength', 'minItems', 'minimum']) {
    const none = keyword === 'minimum' ? Number.NEGATIVE_INFINITY : 0
    const [was = none, is = none] = [a[keyword], b[keyword]] as number[]
    if (is > was) found.push(`has a higher ${keyword}: ${is}`)
  }
  for (const keyword of ['pattern', 'format']) {
    if (b[keyword] !== undefined && a[keyword] !== b[keyword]) found.push(`has another ${keyword}: ${b[keyword]}`)
  }
  if (b.additionalProperties === false && a.additionalProperties !== false) found.push('refuses unknown fields now')
  const [was, is] = [valuesOf(a), valuesOf(b)]
  if (is && !was) found.push(`is limited to ${is.join(', ')} now`)
  for (const value of was ?? []) if (is && !is.includes(value)) found.push(`no longer accepts ${value}`)
  return found
}

const FAULT = '#/components/schemas/Fault'

/** `faults` reports the changes of the schema that all faults have, so that each is one line. */
function compareAnswers(documents: Documents, old: Documented, current: Documented, report: Report, faults: Report) {
  const mediaOf = (response: Response) => response.content?.[JSON_TYPE]
  for (const [status, response] of Object.entries(old.entry.responses)) {
    const now = current.entry.responses[status]
    if (!now) {
      report(`the status ${status} was removed`)
      continue
    }
    for (const type of Object.keys(response.content ?? {})) {
      // An answer of any type (`*/*`) may become more specific.
      if (type !== '*/*' && !now.content?.[type]) report(`the answer ${status} is no longer ${type}`)
    }
    const [before, after] = [mediaOf(response)?.schema, mediaOf(now)?.schema]
    const inAnswer = (change: string) => report(`in the answer ${status}, ${change}`)
    const isFault = before?.$ref === FAULT && after?.$ref === FAULT
    if (before && after) compareOutputs(documents, { before, after, at: '', report: isFault ? faults : inAnswer })
  }
}

function compareOutputs(documents: Documents, { before, after, at, report }: Pair): void {
  const [a, b] = [resolve(documents.before, before), resolve(documents.after, after)]
  const name = named('the field', at)
  const gained = missingFrom(typesOf(documents.before, a), typesOf(documents.after, b))
  if (gained.length > 0) {
    report(`${name} may be ${gained.join(' or ')} now`)
    return
  }
  const [was, is] = [valuesOf(a), valuesOf(b)]
  if (was && !is) report(`${name} may have any value now`)
  for (const value of was ?? []) if (is && !is.includes(value)) report(`${name} is never ${value} now`)
  const [objectBefore, objectAfter] = [variant(documents.before, a, 'object'), variant(documents.after, b, 'object')]
  if (objectBefore && objectAfter) compareOutputFields(documents, objectBefore, objectAfter, at, report)
  const [items, now] = [variant(documents.before, a, 'array')?.items, variant(documents.after, b, 'array')?.items]
  if (items && now) compareOutputs(documents, { before: items, after: now, at: `${at}[]`, report })
}

function compareOutputFields(documents: Documents, a: Schema, b: Schema, at: string, report: Report): void {
  for (const [name, field] of Object.entries(a.properties ?? {})) {
    const now = b.properties?.[name]
    const path = below(at, name)
    if (!now) {
      report(`${named('the field', path)} was removed`)
      continue
    }
    if (a.required?.includes(name) && !b.required?.includes(name)) {
      report(`${named('the field', path)} is no longer always there`)
    }
    compareOutputs(documents, { before: field, after: now, at: path, report })
  }
  const [values, now] = [valueSchema(a), valueSchema(b)]
  if (values && now) compareOutputs(documents, { before: values, after: now, at: below(at, '*'), report })
}

/** The schema of the values of a record. */
function valueSchema({ additionalProperties: more, patternProperties = {} }: Schema): Schema | undefined {
  return typeof more === 'object' ? more : Object.values(patternProperties)[0]
}

function valuesOf({ enum: values, const: constant }: Schema): unknown[] | null {
  return values ?? (constant === undefined ? null : [constant])
}

/** The types a value may have; `any` if nothing is said of them. */
function typesOf(document: Document, schema: Schema): Set<string> {
  const { type, anyOf } = schema
  if (anyOf) return new Set(anyOf.flatMap(one => [...typesOf(document, resolve(document, one))]))
  if (type !== undefined) return new Set([type].flat())
  const values = valuesOf(schema)
  return new Set(values ? values.map(value => (value === null ? 'null' : typeof value)) : ['any'])
}

/** The types of `wanted` that `allowed` does not include. */
function missingFrom(allowed: Set<string>, wanted: Set<string>): string[] {
  if (allowed.has('any')) return []
  return [...wanted].filter(type => !allowed.has(type) && !(type === 'integer' && allowed.has('number')))
}

/** The alternative of a schema that has the type. */
function variant(document: Document, schema: Schema, type: string): Schema | undefined {
  const all = (schema.anyOf ?? [schema]).map(one => resolve(document, one))
  return all.find(one => typesOf(document, one).has(type))
}
