import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreateInviteInput, Invite } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Form, FormFoot } from '../../parts/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { ROLES, rolesOf } from './roles.ts'
import { PeopleTabs } from './tabs.tsx'

export function Invitations() {
  const { data } = useQuery(me)
  useCode('listInvites', 'GET', '/v1/iam/invites', {})
  return (
    <List
      title="Invitations"
      about="People become members when they open the mailed link and accept. A link is valid for a week."
      noun={['invitation', 'invitations']}
      query={pages(['invites'], (after, options) => stoa.listInvites(after, options))}
      idOf={({ id }) => id}
      columns={COLUMNS}
      top={<PeopleTabs />}
      {...(data && manages(data) && { create: 'Invite member', creation: onClose => <InviteForm onClose={onClose} /> })}
      details={(invite, steps) => <InviteDetails of={invite} {...steps} />}
      empty={{
        icon: 'users',
        title: 'No open invitation',
        says: 'Invite people by their address. A mail brings the link.',
      }}
    />
  )
}

const COLUMNS: Column<Invite>[] = [
  { head: 'Address', className: 'p1', cell: ({ email }) => email },
  { head: 'Role', className: 'p3', cell: ({ role }) => ROLES[role] },
  { head: 'Invited by', className: 'low', cell: ({ invitedBy }) => invitedBy },
  { head: 'Sent', className: 'r low', cell: ({ created }) => <Time at={created} /> },
  { head: 'Valid until', className: 'r p2', cell: ({ expires }) => <Time at={expires} /> },
]

function InviteDetails({ of, ...steps }: { of: Invite } & Steps) {
  const [asks, setAsks] = useState(false)
  const withdraw = useChange({
    run: () => stoa.deleteInvite({ id: of.id }),
    changes: [['invites']],
    done: () => `Invitation of ${of.email} withdrawn`,
    onDone: steps.onClose,
  })
  const foot = (
    <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks(true)}>
      <Icon name="trash" />
      Withdraw…
    </button>
  )
  return (
    <>
      <Drawer title={of.email} sub={`Invited as ${ROLES[of.role].toLowerCase()}`} foot={foot} {...steps}>
        <Facts
          of={{
            Role: ROLES[of.role],
            'Invited by': of.invitedBy,
            Sent: <Time at={of.created} />,
            'Valid until': <Time at={of.expires} />,
          }}
        />
        <p className="muted">To send the mail again, invite the same address again. The former link then ends.</p>
      </Drawer>
      {asks && (
        <Confirm
          title={`Withdraw the invitation of ${of.email}?`}
          action="Withdraw invitation"
          onNo={() => setAsks(false)}
          onYes={withdraw.mutate}
        >
          <p>The mailed link is no longer valid.</p>
        </Confirm>
      )}
    </>
  )
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(me)
  const invite = useChange({
    run: (input: CreateInviteInput) => stoa.createInvite(input),
    changes: [['invites']],
    done: ({ email }) => `Invitation sent to ${email}`,
    onDone: onClose,
    showsErrors: true,
  })
  const foot = <FormFoot form="invite" action="Send invitation" isBusy={invite.isPending} onCancel={onClose} />
  return (
    <Drawer title="Invite a member" onClose={onClose} foot={foot}>
      {data && (
        <Form
          id="invite"
          operation="createInvite"
          fields={[
            { path: 'email', label: 'E-mail address', help: 'An earlier invitation to it ends.' },
            { path: 'role', label: 'Role', help: 'It can be changed later.', choices: rolesOf(data) },
          ]}
          initial={{ role: 'member' }}
          error={invite.error}
          onSubmit={invite.mutate}
        />
      )}
    </Drawer>
  )
}
