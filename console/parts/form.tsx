// A form for an operation. Its fields take bounds, choices and help from the schema, and errors from the answer.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { fieldOf, openapi, type Schema, schemaOf } from '../frame/schema.ts'
import { forget } from '../frame/unsaved.tsx'
import { Field, fieldError } from './field.tsx'
import { Problem } from './problem.tsx'

type Values = Record<string, unknown>
export type Control = (props: {
  id: string
  value: unknown
  set: (value: unknown) => void
  schema: Schema
  choices?: Choices
}) => ReactNode
type Choices = Record<string, string>

export type FormField = {
  /** In the body: `url`, `budget.month`. */
  path: string
  label: string
  /** Instead of the description of the schema. */
  help?: string
  control?: Control
  /** What the choices are called. Others are not offered. */
  choices?: Choices
  /** If the schema leaves it out for others. */
  isRequired?: boolean
  /** Whether it is shown, by the other values. */
  when?: (values: Values) => boolean
  /** The path of a name, which gives the slug until one is typed. */
  slugOf?: string
}
type Props = {
  operation?: string
  /** Instead of that of an operation's body. */
  schema?: Schema
  fields: FormField[]
  /** The values at the beginning, by path. */
  initial?: Values
  /** Of the button in the foot, which names it with `form`. */
  id: string
  error: unknown
  onSubmit: (input: never) => void
}

export function Form({ operation = '', schema: own, fields, initial = {}, id, error, onSubmit }: Props) {
  const { data, error: unloaded } = useQuery(openapi)
  const [typed, setTyped] = useState<Values>(initial)
  if (unloaded) return <Problem error={unloaded} />
  if (!data) return <span className="skeleton" />
  const values = withSlugs(fields, typed)
  const shown = fields.filter(({ when }) => !when || when(values))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit(inputOf(shown, values) as never)
  }
  const isShown = (path: string) => shown.some(one => one.path === path)
  const named = shown.some(({ path }) => fieldError(error, path))
  return (
    <form className="form" id={id} onSubmit={submit}>
      {shown.map(({ path, label, help, control, choices, isRequired }) => {
        const declared = own ? fieldOf(data, own, path) : schemaOf(data, operation, path)
        const schema = { ...declared, isRequired: isRequired ?? declared.isRequired }
        const set = (value: unknown) => setTyped(now => ({ ...now, [path]: value }))
        const says = help ?? schema.description
        return (
          <Field
            key={path}
            label={label}
            optional={!schema.isRequired && typeOf(schema) !== 'boolean'}
            error={fieldError(error, path)}
            {...(says && { help: says })}
          >
            {its => (control ?? controlOf)({ ...its, value: values[path], set, schema, ...(choices && { choices }) })}
          </Field>
        )
      })}
      {error !== null && error !== undefined && !(named && isShown(shown[0]?.path ?? '')) && <Problem error={error} />}
    </form>
  )
}

function withSlugs(fields: FormField[], typed: Values): Values {
  const slugs = fields.flatMap(({ path, slugOf }): [string, string][] =>
    slugOf && typed[path] === undefined ? [[path, slugText(String(typed[slugOf] ?? ''))]] : [],
  )
  return { ...typed, ...Object.fromEntries(slugs) }
}

const SLUG_MAX = 40

/** `Café à Porto`: `cafe-a-porto`. */
const slugText = (name: string) =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX)
    .replace(/^-|-$/g, '')

/** The body: nested by path, without what is empty. */
function inputOf(fields: FormField[], values: Values): Values {
  const input: Values = {}
  for (const { path } of fields) {
    const given = values[path]
    const value = Array.isArray(given) ? given.filter(one => one !== '') : given
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue
    const names = path.split('.')
    const last = names.pop() as string
    let at = input
    for (const name of names) {
      at[name] ??= {}
      at = at[name] as Values
    }
    at[last] = value
  }
  return input
}

const typeOf = ({ type, enum: choices }: Schema) =>
  choices ? 'choice' : Array.isArray(type) ? type.find(one => one !== 'null') : type

function controlOf({
  value,
  set,
  schema,
  choices,
  ...its
}: Parameters<Control>[0] & { schema: Schema & { isRequired?: boolean } }): ReactNode {
  const common = { ...its, className: 'input', required: schema.isRequired ?? false }
  const text = value === undefined ? '' : String(value)
  switch (typeOf(schema)) {
    case 'boolean':
      return (
        <input
          {...its}
          type="checkbox"
          className="switch"
          checked={value === true}
          onChange={event => set(event.target.checked)}
        />
      )
    case 'choice':
      return (
        <select {...common} value={text} onChange={event => set(event.target.value)}>
          {!schema.isRequired && <option value="">–</option>}
          {optionsOf(schema, choices).map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      )
    case 'integer':
    case 'number': {
      const { minimum: min, maximum: max, type } = schema
      const step = type === 'integer' ? 1 : 'any'
      const read = (typed: string) => set(typed === '' ? undefined : Number(typed))
      return (
        <input
          {...common}
          {...{ min, max, step }}
          type="number"
          value={text}
          onChange={event => read(event.target.value)}
        />
      )
    }
    case 'array': {
      const lines = Array.isArray(value) ? value.join('\n') : ''
      const read = (typed: string) => set(typed.split('\n').map(line => line.trimStart()))
      return (
        <textarea
          {...common}
          value={lines}
          placeholder="One in each line"
          onChange={event => read(event.target.value)}
        />
      )
    }
    default:
      return schema.format === 'date-time' ? (
        <input
          {...common}
          type="datetime-local"
          onChange={event => set(event.target.value && new Date(event.target.value).toISOString())}
        />
      ) : (
        <input
          {...common}
          maxLength={schema.maxLength}
          value={text}
          autoComplete="off"
          onChange={event => set(event.target.value)}
        />
      )
  }
}

const optionsOf = (schema: Schema, choices?: Choices): [string, string][] =>
  choices
    ? Object.entries(choices)
    : (schema.enum ?? []).flatMap(one => (one === null ? [] : [[String(one), String(one)] as [string, string]]))

/** The buttons of a drawer with a form. */
export const FormFoot = ({
  form,
  action,
  isBusy,
  onCancel,
}: {
  form: string
  action: string
  isBusy: boolean
  onCancel: () => void
}) => (
  <span className="right">
    <button
      type="button"
      className="btn"
      onClick={() => {
        forget(document.getElementById(form)) // It says so itself.
        onCancel()
      }}
    >
      Cancel
    </button>
    <button type="submit" form={form} className="btn" data-kind="primary" aria-busy={isBusy} disabled={isBusy}>
      {action}
    </button>
  </span>
)
