// The forms that change the own account, beside it.
import { useState } from 'react'
import type { ChangeEmailInput, ChangePasswordInput, UpdateMeInput } from '../../../client/stoa.js'
import { type Me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { DoneFoot, Drawer } from '../../parts/drawer.tsx'
import { Form, FormFoot } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import { password } from '../../parts/password.tsx'

type Props = { me: Me; onClose: () => void }

const CURRENT = {
  path: 'current',
  label: 'Current password',
  help: 'After ten wrong ones this is blocked for 15 minutes.',
  control: password('current-password'),
  isRequired: true,
}

export function NameForm({ me, onClose }: Props) {
  const change = useChange({
    run: (input: Partial<UpdateMeInput>) => stoa.updateMe({ name: '', ...input }),
    changes: [['me']],
    done: () => 'Name changed',
    onDone: onClose,
    showsErrors: true,
  })
  return (
    <FormDrawer
      title="Change your name"
      action="Change name"
      operation="updateMe"
      fields={[{ path: 'name', label: 'Name', help: 'Apps that you sign in to see it.' }]}
      initial={{ name: me.name }}
      change={change}
      onClose={onClose}
    />
  )
}

export function AddressForm({ me, onClose }: Props) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const change = useChange({
    run: (input: ChangeEmailInput) => stoa.changeEmail(input),
    changes: [],
    onDone: ({ email }) => setSentTo(email),
    showsErrors: true,
  })
  if (sentTo !== null) return <LinkSent to={sentTo} me={me} onClose={onClose} />
  const foot = <FormFoot form="address" action="Send link" isBusy={change.isPending} onCancel={onClose} />
  return (
    <Drawer title="Change your address" onClose={onClose} foot={foot}>
      <p>A link is sent to the new address. You sign in with the new address as soon as you open the link.</p>
      <Form
        id="address"
        operation="changeEmail"
        fields={[{ path: 'email', label: 'New address', help: `Now it is ${me.email}.` }, CURRENT]}
        error={change.error}
        onSubmit={change.mutate}
      />
    </Drawer>
  )
}

const LinkSent = ({ to, me, onClose }: { to: string } & Props) => (
  <Drawer title="Open the link in your mail" onClose={onClose} foot={<DoneFoot onClose={onClose} />}>
    <div className="callout" data-tone="success" role="status">
      <Icon name="send" />
      <div>
        A link was sent to <b>{to}</b>. Open it in this browser within an hour.
      </div>
    </div>
    <p className="muted">
      Until then you sign in with {me.email}. No mail? Look into the spam folder, or ask again in a few minutes.
    </p>
  </Drawer>
)

export function PasswordForm({ onClose }: Props) {
  const change = useChange({
    run: (input: ChangePasswordInput) => stoa.changePassword(input),
    changes: [['own-sessions']],
    done: () => 'Password changed. Your other sign-ins have ended',
    onDone: onClose,
    showsErrors: true,
  })
  const foot = <FormFoot form="password" action="Change password" isBusy={change.isPending} onCancel={onClose} />
  return (
    <Drawer title="Change your password" onClose={onClose} foot={foot}>
      <p>Your sign-ins in other browsers and apps end. This one and your keys stay. A mail tells you of the change.</p>
      <Form
        id="password"
        operation="changePassword"
        fields={[
          CURRENT,
          {
            path: 'password',
            label: 'New password',
            help: 'At least 12 characters. Common passwords are refused.',
            control: password('new-password'),
          },
        ]}
        error={change.error}
        onSubmit={change.mutate}
      />
    </Drawer>
  )
}
