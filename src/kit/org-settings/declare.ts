// An organisation's settings for a service are declared as fields. The two operations at `/v1/<service>/settings`, the
// stored values and the cache are derived from the declaration.
//
//   what      their name in the documentation, such as `the organisation's event settings`.
//   description   the description of the operation that changes them.
//   fields    each with its schema and its default value.
//   prepare   checks a change and returns the value to store. It may raise `invalid_input`.
//   changed   further writes in the transaction of a change.
import { type Static, type TProperties, Type } from 'typebox'
import type { Tx } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'
import { lock } from '../lock.store.ts'
import { type Declare, declareOperation, type Operation } from '../operation.ts'
import { changesIn } from '../write.ts'
import { readOrgSettings, type SettingFields } from './read.ts'
import { mergeChosen } from './store.ts'

export type OrgSettings<V extends object = object> = SettingFields<V> & { operations: Record<string, Operation> }
/** The values of declared settings. */
export type ValuesOf<S extends SettingFields> = S['defaults']

/** Every field has a value, even if its schema makes it optional. */
export type Values<F extends TProperties> = { [Name in keyof F]: Static<F[Name]> }

export type OrgSettingsDeclaration<State, F extends TProperties> = {
  service: string
  what: string
  description?: string
  /** Whether a change widens what credentials may do, so that limited keys may not make it. */
  issuesCredential?: true
  fields: { [Name in keyof F]: { schema: F[Name]; default: NoInfer<Static<F[Name]>> } }
  prepare?: (
    change: Partial<Values<F>>,
    before: Values<F>,
    state: State,
  ) => Partial<Values<F>> | Promise<Partial<Values<F>>>
  changed?: (db: Tx, org: OrgId, after: Values<F>) => Promise<void>
}

export function declareOrgSettings<State, F extends TProperties>(
  declared: OrgSettingsDeclaration<State, F>,
): OrgSettings<Values<F>> {
  const { service, what, description, issuesCredential, fields, prepare, changed } = declared
  const operation: Declare<State> = one => declareOperation(one as never)
  const title = `${capitalised(service)}Settings`
  const names = Object.keys(fields)
  const each = (of: (name: string) => unknown) => Object.fromEntries(names.map(name => [name, of(name)]))
  const defaults = each(name => fields[name]?.default) as Values<F>
  const input = each(name => Type.Optional((fields[name] as { schema: F[string] }).schema)) as TProperties
  const output = Type.Object(each(name => fields[name]?.schema) as TProperties, {
    title,
    description: capitalised(what),
  })
  const own = { service, defaults }

  const get = operation({
    route: `GET /v1/${service}/settings`,
    summary: `Returns ${what}`,
    access: 'bearer',
    output,
    run: ({ db, caller }) => readOrgSettings(db, own, caller.org),
  })
  const update = operation({
    route: `PATCH /v1/${service}/settings`,
    summary: `Changes ${what}`,
    ...(description !== undefined && { description }),
    ...(issuesCredential && { issuesCredential }),
    access: 'admin',
    input,
    output,
    audit: `${service}.settings.update`,
    run: ({ caller: { org }, state, write }, given) =>
      write({ serialize: true }, async ({ db, record }) => {
        // Other processes change settings too, and before the first change there is no row to lock.
        await lock(db, `settings ${service} ${org}`)
        const before = await readOrgSettings(db, own, org)
        const wanted = given as Partial<Values<F>>
        const change = prepare ? await prepare(wanted, before, state) : wanted
        const after = { ...before, ...change }
        const changes = changesIn(before, after, names as never)
        if (Object.keys(changes).length === 0) return before
        await mergeChosen(db, service, org, change)
        await changed?.(db, org, after)
        record('settings', changes)
        return after
      }),
  })
  return { ...own, operations: { [`get${title}`]: get, [`update${title}`]: update } }
}

const capitalised = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
