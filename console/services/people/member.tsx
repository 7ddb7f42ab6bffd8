import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Member, Role, UpdateMemberInput } from '../../../client/stoa.js'
import { type Me, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { mayChange, NAMED, ROLES, rolesOf } from './roles.ts'

export function MemberDetails({ of, ...steps }: { of: Member } & Steps) {
  const { data: person } = useQuery(me)
  const [asks, setAsks] = useState<'role' | 'remove' | null>(null)
  if (!person) return null
  const isOwn = of.user === person.user
  const may = mayChange(person, of.role)
  if (asks === 'role') return <RoleForm of={of} person={person} onClose={() => setAsks(null)} />
  const foot = (may || isOwn) && (
    <>
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks('remove')}>
        <Icon name="trash" />
        {isOwn ? 'Leave…' : 'Remove…'}
      </button>
      {may && (
        <span className="right">
          <button type="button" className="btn" onClick={() => setAsks('role')}>
            Change role
          </button>
        </span>
      )}
    </>
  )
  return (
    <>
      <Drawer title={of.email} foot={foot} {...steps}>
        <Facts
          of={{
            Role: ROLES[of.role],
            Joined: <Time at={of.created} />,
            Id: <Id text={of.user} show />,
          }}
        />
        {!may && !isOwn && person.role === 'admin' && <p className="muted">Only an owner changes or removes owners.</p>}
      </Drawer>
      {asks === 'remove' && <Remove of={of} isOwn={isOwn} onClose={steps.onClose} onNo={() => setAsks(null)} />}
    </>
  )
}

type RemoveProps = { of: Member; isOwn: boolean; onClose: () => void; onNo: () => void }

function Remove({ of, isOwn, onClose, onNo }: RemoveProps) {
  const remove = useChange({
    run: () => stoa.removeMember({ user: of.user }),
    changes: [['members'], ...(isOwn ? [['me']] : [])],
    done: () => (isOwn ? 'You left the organisation' : `${of.email} removed`),
    onDone: onClose,
  })
  return (
    <Confirm
      title={isOwn ? 'Leave the organisation?' : `Remove ${of.email}?`}
      action={isOwn ? 'Leave organisation' : 'Remove member'}
      onNo={onNo}
      onYes={remove.mutate}
    >
      <p>
        {isOwn ? 'Your' : 'Their'} keys and sessions here end now. Requests with these keys fail. The account itself
        stays, and can be invited again.
      </p>
    </Confirm>
  )
}

function RoleForm({ of, person, onClose }: { of: Member; person: Me; onClose: () => void }) {
  const change = useChange({
    run: ({ role }: Pick<UpdateMemberInput, 'role'>) => stoa.updateMember({ user: of.user, role: role as Role }),
    changes: [['members'], ...(of.user === person.user ? [['me']] : [])],
    done: ({ role }) => `${of.email} is now ${NAMED[role]}`,
    onDone: onClose,
    showsErrors: true,
  })
  return (
    <FormDrawer
      title={`Role of ${of.email}`}
      action="Change role"
      operation="updateMember"
      fields={[
        {
          path: 'role',
          label: 'Role',
          help: 'Their keys get the new role too, from the next request.',
          choices: rolesOf(person),
        },
      ]}
      initial={{ role: of.role }}
      change={change}
      onClose={onClose}
    />
  )
}
