import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { me } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { type Document, type Operation, openapi, requiredOf } from '../../frame/schema.ts'
import { useParam } from '../../frame/search.ts'
import { CodeBlock, jsonText } from '../../parts/code.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Form, type FormField } from '../../parts/form.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Answer } from './answer.tsx'
import { callTool, DOOR, type Tool } from './door.ts'
import { json } from './json.tsx'
import { isPlain, isRead, plain, typeText } from './words.ts'

const VIEWS = [
  ['', 'Try a call'],
  ['schema', 'Arguments'],
] as const

/** Its operation: `get_v1_projects_by_slug` is `GET /v1/projects/{slug}`. Long names are shortened and have none. */
function operationOf(document: Document, tool: string): { route: string; operation: Operation } | undefined {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const words = path.split('/').map(part => part.replace(/^\{(\w+)\}$/, 'by_$1').replace(/\W+/g, '_'))
      if (`${method}${words.join('_')}` === tool) return { route: `${method.toUpperCase()} ${path}`, operation }
    }
  }
  return undefined
}

export function ToolDetails({ of, ...steps }: { of: Tool } & Steps) {
  const { data: document } = useQuery(openapi)
  const { data: person } = useQuery(me)
  const queryClient = useQueryClient()
  const [view, setView] = useParam('view')
  const [asks, setAsks] = useState<object | null>(null)
  const run = useChange({
    run: (given: object) => callTool(of, given),
    changes: [],
    // What it wrote may be shown anywhere.
    onDone: () =>
      !isRead(of) && queryClient.invalidateQueries({ predicate: one => !KEPT.has(String(one.queryKey[0])) }),
    showsErrors: true,
  })
  const found = document && operationOf(document, of.name)
  const required = document && found ? requiredOf(document, found.operation) : []
  const names = Object.keys(of.inputSchema.properties ?? {})
  const schema = { ...of.inputSchema, required }
  const action = isRead(of) ? 'Run' : 'Run…'
  const foot = (
    <span className="right">
      <button
        type="submit"
        form="try"
        className="btn"
        data-kind="primary"
        aria-busy={run.isPending}
        disabled={run.isPending || !document}
      >
        {action}
      </button>
    </span>
  )
  const org = person?.orgs.find(one => one.org === person.org)?.name ?? person?.org
  return (
    <>
      <Drawer
        title={of.name}
        sub={
          <>
            <span className="mono">{found?.route}</span>
            <CopyButton text={of.name} label="Copy name" />
          </>
        }
        foot={view === '' && foot}
        {...steps}
      >
        <p>{plain(of.description)}</p>
        <div>
          <Segments label="View" options={VIEWS} chosen={view as ''} onChoose={one => setView(one, true)} />
        </div>
        {view === 'schema' ? (
          <Arguments of={of} required={required} />
        ) : (
          <>
            {names.length === 0 && <p className="muted">It has no arguments.</p>}
            <Form
              id="try"
              schema={schema}
              fields={names.map(name => fieldOf(of, name))}
              error={null}
              onSubmit={given => (isRead(of) ? run.mutate(given) : setAsks(given))}
            />
            {run.error && <Problem error={run.error} />}
            {run.data && <Answer of={run.data} />}
          </>
        )}
      </Drawer>
      {asks && (
        <Confirm
          title={`Run ${of.name}?`}
          action="Run tool"
          tone={of.annotations.destructiveHint ? 'danger' : 'primary'}
          onNo={() => setAsks(null)}
          onYes={() => run.mutate(asks)}
        >
          <p>
            {plain(of.description)} It runs now, as {person?.email} in {org}, and the audit trail names you.
          </p>
          <CodeBlock title="Arguments" samples={[{ name: 'Arguments', code: jsonText(asks), isJson: true }]} />
        </Confirm>
      )}
    </>
  )
}

/** Queries that no tool changes. */
const KEPT = new Set(['openapi', 'tools', 'services'])

function fieldOf({ inputSchema }: Tool, name: string): FormField {
  const schema = inputSchema.properties?.[name] ?? {}
  const says = plain(schema.description ?? '')
  if (isPlain(schema)) return { path: name, label: name, help: says }
  return { path: name, label: name, help: `${says && `${says}. `}As JSON.`, control: json }
}

const Arguments = ({ of, required }: { of: Tool; required: string[] }) => {
  const fields = Object.entries(of.inputSchema.properties ?? {})
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: of.name, arguments: {} } }
  const call = `curl '${location.origin}${DOOR}' -H "Authorization: Bearer $STOA_KEY" \\\n  --json '${JSON.stringify(message)}'`
  return (
    <>
      <section>
        {fields.length === 0 && <p className="muted">It has no arguments.</p>}
        <dl className="kv arguments">
          {fields.map(([name, schema]) => (
            <div key={name}>
              <dt>
                <span className="mono">{name}</span>
                {required.includes(name) && <span className="badge">required</span>}
              </dt>
              <dd>
                <span className="muted">{typeText(schema)}</span>
                {plain(schema.description ?? '')}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <CodeBlock
        samples={[
          { name: 'Schema', code: jsonText(of.inputSchema), isJson: true },
          { name: 'curl', code: call },
        ]}
      />
    </>
  )
}
