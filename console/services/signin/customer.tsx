import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { UpdateUserInput, User } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import type { Control, FormField } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { CustomerStatus } from './customers.tsx'

export function CustomerDetails({ of, ...steps }: { of: User } & Steps) {
  const { data: person } = useQuery(me)
  const [asks, setAsks] = useState<'edit' | 'block' | 'delete' | null>(null)
  const { user, email, blocked } = of
  const block = useChange({
    run: () => stoa.updateUser({ user, blocked: !blocked }),
    changes: [['customers'], ['sessions']],
    done: one => `${one.email} ${one.blocked ? 'blocked' : 'unblocked'}`,
  })
  const remove = useChange({
    run: () => stoa.deleteUser({ user }),
    changes: [['customers'], ['sessions']],
    done: () => `Customer ${email} deleted`,
    onDone: steps.onClose,
  })
  if (asks === 'edit') return <EditCustomer of={of} onClose={() => setAsks(null)} />
  const foot = (
    <>
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks('delete')}>
        <Icon name="trash" />
        Delete…
      </button>
      <span className="right">
        <button type="button" className="btn" onClick={() => (blocked ? block.mutate() : setAsks('block'))}>
          {blocked ? 'Unblock' : 'Block…'}
        </button>
        <button type="button" className="btn" onClick={() => setAsks('edit')}>
          Edit
        </button>
      </span>
    </>
  )
  return (
    <>
      <Drawer title={of.name || email} sub={<CustomerStatus of={of} />} foot={foot} {...steps}>
        <Facts of={factsOf(of)} />
        <section>
          <h3>Metadata</h3>
          <CodeBlock samples={[{ name: 'JSON', code: JSON.stringify(of.metadata, null, 2) }]} />
        </section>
        {person && (
          <Link to="/o/$org/$" params={{ org: person.org, _splat: 'signin/sessions' }} search={{ user } as never}>
            Show where this customer is signed in
          </Link>
        )}
      </Drawer>
      {asks === 'block' && (
        <Confirm title={`Block ${email}?`} action="Block customer" onNo={() => setAsks(null)} onYes={block.mutate}>
          <p>All sign-ins end now, and the customer can no longer sign in. The account stays, and can be unblocked.</p>
        </Confirm>
      )}
      {asks === 'delete' && (
        <Confirm
          title={`Delete ${email}?`}
          action="Delete customer"
          type={email}
          onNo={() => setAsks(null)}
          onYes={remove.mutate}
        >
          <p>The account, its sign-ins and its personal data here are deleted. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  )
}

const factsOf = (of: User) => ({
  Address: (
    <>
      {of.email} <span className="muted">{of.emailVerified ? 'verified' : 'not verified'}</span>
    </>
  ),
  Name: of.name,
  Id: <Id text={of.user} show />,
  Created: <Time at={of.created} />,
  Changed: <Time at={of.updated} />,
  'Last sign-in': <Time at={of.signedIn} none="never" />,
})

/** Text that is JSON; what is typed is kept until it is. */
const jsonControl: Control = ({ value, set, schema: _, choices: _choices, ...its }) => (
  <textarea
    {...its}
    className="input mono"
    rows={6}
    defaultValue={value === undefined ? '' : JSON.stringify(value, null, 2)}
    placeholder='{"plan": "pro"}'
    spellCheck={false}
    onChange={({ target }) => {
      const parsed = parse(target.value)
      target.setCustomValidity(parsed === null ? 'Write a JSON object, such as {"plan": "pro"}.' : '')
      if (parsed !== null) set(parsed)
    }}
  />
)

function parse(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null // Not complete yet.
  }
}

export const CUSTOMER_FIELDS: FormField[] = [
  { path: 'email', label: 'E-mail address' },
  { path: 'name', label: 'Name', help: 'Apps see it with the scope profile.' },
  { path: 'emailVerified', label: 'Address is verified', help: 'Otherwise a code is mailed at the first sign-in.' },
  {
    path: 'metadata',
    label: 'Metadata',
    help: 'What your apps store about the customer, as JSON. The customer can read it.',
    control: jsonControl,
  },
]

function EditCustomer({ of, onClose }: { of: User; onClose: () => void }) {
  const edit = useChange({
    run: ({ metadata = {}, emailVerified = false, ...input }: Omit<UpdateUserInput, 'user'>) =>
      stoa.updateUser({
        user: of.user,
        ...input,
        emailVerified,
        metadata: { ...removed(of.metadata, metadata), ...metadata },
      }),
    changes: [['customers']],
    done: ({ email }) => `Customer ${email} changed`,
    onDone: onClose,
    showsErrors: true,
  })
  return (
    <FormDrawer
      title={`Edit ${of.email}`}
      action="Save customer"
      operation="updateUser"
      fields={CUSTOMER_FIELDS}
      initial={of}
      change={edit}
      onClose={onClose}
    />
  )
}

/** The host merges metadata, and null removes a field. */
const removed = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(before).flatMap(name => (name in after ? [] : [[name, null]])))
