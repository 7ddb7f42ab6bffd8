import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateWebhookInput, NewWebhookEndpoint } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { changedIn } from '../../parts/changed.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Done, Drawer } from '../../parts/drawer.tsx'
import type { FormField } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Secret } from '../../parts/secret.tsx'
import { type Endpoint, nameOf } from './names.ts'
import { Picker } from './picker.tsx'

const RETRIES = [
  ['standard', 'Standard: 3 attempts within 6 s'],
  ['long', 'Long: 8 attempts within a day and a half'],
]

const FIELDS: FormField[] = [
  { path: 'url', label: 'Address', help: 'https and public, for example https://hooks.example.com/stoa' },
  { path: 'description', label: 'Name', help: 'What it is for, such as the server that gets the events' },
  {
    path: 'events',
    label: 'Events',
    help: 'With none chosen, all events are sent. event.> is all that you send.',
    control: ({ id, value, set }) => <Picker id={id} chosen={(value as string[]) ?? []} onChoose={set} />,
  },
  {
    path: 'retry',
    label: 'Failed deliveries',
    help: 'It applies to later deliveries.',
    control: ({ id, value, set }) => (
      <select id={id} className="input" value={String(value)} onChange={event => set(event.target.value)}>
        {RETRIES.map(([retry, label]) => (
          <option key={retry} value={retry}>
            {label}
          </option>
        ))}
      </select>
    ),
  },
]

export function CreateEndpoint({ onClose }: { onClose: () => void }) {
  const create = useChange({
    run: (input: CreateWebhookInput) => stoa.createWebhook(input),
    changes: [['webhooks']],
    showsErrors: true,
  })
  if (create.data) return <Created made={create.data} onClose={onClose} />
  return (
    <FormDrawer
      title="Add an endpoint"
      action="Add endpoint"
      operation="createWebhook"
      fields={FIELDS}
      initial={{ retry: 'standard' }}
      change={create}
      onClose={onClose}
    />
  )
}

export function EditEndpoint({ of, onClose }: { of: Endpoint; onClose: () => void }) {
  const [before] = useState(of)
  const { id, url, description, events, retry } = before
  const save = useChange({
    // What is empty is left out of the form's input.
    run: (input: Partial<Endpoint>) =>
      stoa.updateWebhook({ ...changedIn(before, { events: [], description: '', ...input }), id }),
    changes: [['webhooks'], ['webhook', id]],
    done: () => 'Endpoint saved',
    onDone: onClose,
    showsErrors: true,
  })
  return (
    <FormDrawer
      title={`Edit ${nameOf(of)}`}
      action="Save endpoint"
      operation="updateWebhook"
      fields={FIELDS}
      initial={{ url, description, events, retry }}
      change={save}
      onClose={onClose}
    />
  )
}

/** Of a new secret. */
export const SIGNS = 'Signing secret. Copy it now, it is not shown again.'

/** The only time that the secret is shown. */
function Created({ made, onClose }: { made: NewWebhookEndpoint; onClose: () => void }) {
  const { org } = useParams({ strict: false }) as { org: string }
  const foot = (
    <span className="right">
      <Done onClose={onClose} />
      <Link to="/o/$org/$" params={{ org, _splat: `webhooks/${made.id}` }} className="btn" data-kind="primary">
        Open endpoint
      </Link>
    </span>
  )
  return (
    <Drawer title="Endpoint created" sub={<span className="mono">{made.url}</span>} onClose={onClose} foot={foot}>
      <Secret label="Secret" text={made.secret} says={SIGNS} />
      <section>
        <h3>Verify what arrives</h3>
        <CodeBlock samples={RECEIVERS} />
      </section>
    </Drawer>
  )
}

export const RECEIVERS = [
  {
    name: 'TypeScript',
    code: `import { verifyWebhook } from 'stoa-client'

// The raw body, before it is parsed.
const { type, data } = await verifyWebhook({
  payload: await request.text(),
  headers: request.headers,
  secret: process.env.WEBHOOK_SECRET,
})`,
  },
  {
    name: 'Standard Webhooks',
    code: `import { Webhook } from 'standardwebhooks'

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(await request.text(), Object.fromEntries(request.headers))`,
  },
]
