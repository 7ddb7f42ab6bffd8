// The reference page: describes every operation, with an example command.
import { HOST_FAULTS } from '../../src/host/faults.ts'
import { exampleFields } from '../../src/host/openapi/example-fields.ts'
import { callersOf } from '../../src/host/openapi/texts.ts'
import type { Section } from '../../src/host/openapi.ts'
import { type FaultCode, statusOf } from '../../src/kit/fault.ts'
import { asShown } from '../../src/kit/fields.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { type Schema, shortType, typeText } from './types.ts'

export function referenceText(sections: readonly Section[]): string {
  return `${[introduction(sections), ...sections.map(sectionText)].join('\n\n')}\n`
}

function introduction(sections: readonly Section[]): string {
  return `<!-- GENERATED from the operation declarations by \`npm run generate\`; do not edit. -->

# Reference

Every operation of the host: ${sections.map(({ name }) => `[${name}](#${name})`).join(', ')}.

The OpenAPI document is [openapi.json](openapi.json); a running host also serves it at \`/v1/openapi.json\`. The TypeScript
client in [client/stoa.ts](../../client/stoa.ts) has a method for each operation with a JSON body or without a body.

The examples read the URL, a key and the local certificate authority from the environment:

\`\`\`sh
export STOA_URL=https://localhost:8443 STOA_KEY=sk-… CURL_CA_BUNDLE=data/tls/ca.pem
\`\`\`

Bodies are JSON. Unknown fields are rejected by name; those of an event become its properties. A listing returns one page at a time: send its \`next\` as \`after\` to
get the following page; \`next\` is empty on the last page.

## Faults

All errors have the same format, and every answer has an \`X-Request-Id\`:

\`\`\`json
{"error": {"code": "conflict", "message": "…", "type": "conflict_error", "param": "slug", "request_id": "req_…"}}
\`\`\`

\`message\` says what to do. If fields are invalid, \`param\` is the first of them, and \`fields\` lists all with their \`path\`
and a description of the error in \`says\`. In addition to its own faults, any operation may answer with these:

| code | status |
|---|---|
${[...HOST_FAULTS, 'internal' as const].map(code => `| \`${code}\` | ${statusOf(code)} |`).join('\n')}`
}

function sectionText({ name, what, operations }: Section): string {
  const entries = Object.entries(operations)
  const rows = entries.map(
    ([id, one]) => `| [${id}](#${id.toLowerCase()}) | \`${one.method} ${one.path}\` | ${cell(one.summary)} |`,
  )
  return [
    `## ${name}\n\n${what}.`,
    `| operation | route | summary |\n|---|---|---|\n${rows.join('\n')}`,
    ...entries.map(([id, operation]) => operationText(id, operation)),
  ].join('\n\n')
}

function operationText(id: string, operation: Operation): string {
  const { method, path, summary, issuesCredential, faults } = operation
  const own = faults.map((code: FaultCode) => `\`${code}\` (${statusOf(code)})`).join(', ')
  return [
    `### ${id}`,
    `\`${method} ${path}\``,
    `${summary}. ${callersOf(operation)}${issuesCredential ? ' A key with a limit, budget or rate may not.' : ''}`,
    ...inputTable(operation),
    answerText(operation),
    `Faults: ${own ? `${own}, and ` : ''}[those of every operation](#faults).`,
    `\`\`\`sh\n${curl(operation)}\n\`\`\``,
  ].join('\n\n')
}

function inputTable(operation: Operation): string[] {
  const rows = fieldRows(operation.input as Schema, '', name => locationOf(operation, name))
  const { documented } = operation
  if (documented) rows.push(...documentedRows(documented.body as Schema))
  else if (isRawBody(operation))
    rows.push(`| | body | ${operation.bodyKind === 'parsed' ? 'JSON' : 'bytes'} | | The whole body |`)
  if (rows.length === 0) return []
  return [`| field | in | type | required | description |\n|---|---|---|---|---|\n${rows.join('\n')}`]
}

/** The fields of the object, if the body is one or a list of such. */
function documentedRows(body: Schema): string[] {
  const object = [body, ...(body.anyOf ?? [])].find(one => one.properties) ?? {}
  const or = body.anyOf
    ? `| | body | \`${cell(shortType(body))}\` | | ${cell(body.description ?? '')}, each with: |`
    : []
  return [or, ...fieldRows(object, '', () => 'body')].flat()
}

/** Whether the body is passed as bytes, a stream or parsed JSON instead of input fields. */
const isRawBody = ({ bodyKind }: Operation) => bodyKind !== 'json' && bodyKind !== 'none'

function locationOf({ pathFields, bodyKind }: Operation, name: string): string {
  return pathFields.includes(name) ? 'path' : bodyKind === 'json' || bodyKind === 'parsed' ? 'body' : 'query'
}

/** A row for each field, followed by rows for its nested fields. */
function fieldRows(schema: Schema, prefix: string, location: (name: string) => string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = `${prefix}${name}`
    const required = schema.required?.includes(name) ? 'yes' : 'no'
    const cells = [`\`${at}\``, location(name), `\`${shortType(field)}\``, required, field.description ?? '']
    const inner = asShown(field.items ?? field)
    return [
      `| ${cells.map(cell).join(' | ')} |`,
      ...fieldRows(inner, field.items ? `${at}[].` : `${at}.`, () => location(name)),
    ]
  })
}

function answerText({ status, documented, answer: { kind, value, chunk, media } }: Operation): string {
  if (documented) return `Answers ${status} with\n\n\`\`\`ts\n${typeText(documented.answer as Schema)}\n\`\`\``
  if (kind === 'nothing') return `Answers ${status} without a body.`
  if (kind === 'reply' && chunk)
    return `Answers ${status} with one line of JSON for each:\n\n\`\`\`ts\n${typeText(chunk as Schema)}\n\`\`\``
  if (kind === 'reply')
    return `Answers ${status} or another status, with headers and a body that depend on the request.`
  if (kind === 'events') return 'Answers an event stream.'
  const streams =
    kind === 'either' ? ', or an event stream if the request asks for one:' : media ? ', or the same as CSV:' : ''
  return `Answers ${status} with${streams}\n\n\`\`\`ts\n${typeText(value as Schema)}\n\`\`\``
}

/** Contains the example of the input, so that the command works unchanged. */
function curl(operation: Operation): string {
  const values = (location: string) =>
    Object.entries(exampleFields(operation)).filter(([name]) => locationOf(operation, name) === location)
  const inPath = new Map(values('path'))
  const path = operation.path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name) =>
    encodeURIComponent(String(inPath.get(name))),
  )
  const query = new URLSearchParams(
    values('query').flatMap(([name, value]) => [value].flat().map(one => [name, String(one)] as [string, string])),
  )
  const { bodyExample, bodyKind } = operation
  const body = JSON.stringify(bodyExample ?? Object.fromEntries(values('body')))
  const isJson = bodyKind === 'json' || bodyExample !== undefined
  const method = operation.method === 'ANY' ? 'POST' : operation.method
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$STOA_URL${path}${query.size > 0 ? `?${query}` : ''}"`,
    ...(operation.access === 'public' ? [] : ['-H "Authorization: Bearer $STOA_KEY"']),
    ...(isJson ? ["-H 'Content-Type: application/json'", `-d '${body.replaceAll("'", "'\\''")}'`] : []),
    ...(isRawBody(operation) && !isJson ? ['--data-binary @body'] : []),
  ].join(' \\\n  ')
}

/** An unescaped `|` would end the cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
