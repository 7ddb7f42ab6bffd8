import type { CreateOrgInput, CreateOrgOutput } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { DoneFoot, Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import type { Control } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Secret } from '../../parts/secret.tsx'

/** Its value is in no list that the browser offers. */
export const secretControl: Control = ({ value, set, schema: _, choices: __, ...its }) => (
  <input
    {...its}
    className="input"
    type="password"
    autoComplete="new-password"
    value={typeof value === 'string' ? value : ''}
    onChange={event => set(event.target.value)}
  />
)

export function CreateOrg({ onClose }: { onClose: () => void }) {
  const create = useChange({
    run: (input: CreateOrgInput) => stoa.createOrg(input),
    changes: [['orgs']],
    showsErrors: true,
  })
  if (create.data) return <Created made={create.data} onClose={onClose} />
  return (
    <FormDrawer
      title="Create an organisation"
      action="Create organisation"
      operation="createOrg"
      fields={[
        { path: 'name', label: 'Name', help: 'People see it. It can be changed later.' },
        {
          path: 'slug',
          label: 'Slug',
          slugOf: 'name',
          help: 'In addresses and calls. It cannot be changed, and not be used again after a deletion.',
        },
        { path: 'owner.email', label: "Owner's e-mail address", help: 'A new account is made if there is none.' },
        {
          path: 'owner.password',
          label: "Owner's password",
          help: 'Without one, the owner chooses it with "Forgot your password?" on the sign-in page.',
          control: secretControl,
        },
      ]}
      change={create}
      onClose={onClose}
    />
  )
}

const Created = ({ made, onClose }: { made: CreateOrgOutput; onClose: () => void }) => (
  <Drawer title={`${made.name} created`} onClose={onClose} foot={<DoneFoot onClose={onClose} />}>
    <Secret label="Key" text={made.key} says="The owner's key. Copy it now, it is not shown again." />
    <Facts of={{ Slug: <span className="id">{made.slug}</span>, Owner: made.owner.email }} />
    <p className="muted">The key may do everything that the owner may. The owner can revoke it in the console.</p>
  </Drawer>
)
