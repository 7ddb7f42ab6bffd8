import './host.css'
import type { FixedProvider, Provider } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { FixedDetails, ProviderDetails } from './provider.tsx'
import { ProviderForm } from './provider-form.tsx'

export const FORMATS = { openai: 'OpenAI', anthropic: 'Anthropic' }
export const SOURCES = { environment: 'Environment', machine: 'This machine' }

type Row = Provider | FixedProvider
export const isFixed = (row: Row): row is FixedProvider => 'from' in row

/** Those that cannot be changed come before the others, on the first page. */
async function read(after: { after?: string }, options: { signal: AbortSignal }) {
  const { data, next, fixed } = await stoa.listProviders(after, options)
  return { data: after.after ? data : [...fixed, ...data], next }
}

export function Providers() {
  useCode('listProviders', 'GET', '/v1/ai/providers', {})
  return (
    <List<Row>
      title="Providers"
      about="Where the models of this host are called. If several offer a model, those added here are tried first, by name."
      noun={['provider', 'providers']}
      first="First"
      query={pages<Row>(['providers'], read)}
      idOf={row => (isFixed(row) ? `${row.from}:${row.name}` : row.name)}
      columns={COLUMNS}
      create="Add provider"
      creation={onClose => <ProviderForm onClose={onClose} />}
      details={(row, steps) =>
        isFixed(row) ? <FixedDetails of={row} {...steps} /> : <ProviderDetails key={row.name} of={row} {...steps} />
      }
      empty={{
        icon: 'branch',
        title: 'No provider',
        says: 'Add one with its key and the prices of its models, or set the variables of one, such as OPENAI_API_KEY.',
      }}
    />
  )
}

const COLUMNS: Column<Row>[] = [
  { head: 'Name', className: 'p1', cell: ({ name }) => name },
  {
    head: 'Set by',
    className: 'p4',
    cell: row => (isFixed(row) ? <span className="badge">{SOURCES[row.from]}</span> : 'Superadmins'),
  },
  { head: 'Format', className: 'low', cell: ({ wire }) => FORMATS[wire] },
  { head: 'Address', className: 'p3 fill', cell: ({ baseUrl }) => baseUrl },
  { head: 'Key', className: 'low', cell: row => (row.hasApiKey ? 'Set' : <span className="zero">None</span>) },
  {
    head: 'Models',
    className: 'r p2',
    cell: ({ models }) => (
      <>
        {models.length === 0 ? 'Any' : models.length.toLocaleString()}
        <span className="phone-only"> {models.length < 2 ? 'model' : 'models'}</span>
      </>
    ),
  },
]
