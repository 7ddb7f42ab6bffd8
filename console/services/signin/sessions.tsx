import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Session } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { SignInTabs } from './tabs.tsx'

export function Sessions() {
  const { data } = useQuery(me)
  const [user, setUser] = useParam('user')
  const filter = user ? { user } : {}
  useCode('listSessions', 'GET', '/v1/iam/sessions', filter)
  const isManager = data !== undefined && manages(data)
  return (
    <List
      title="Sign-ins"
      about={
        isManager
          ? 'Who is signed in to which app. The details of a customer lead to theirs.'
          : 'Where you are signed in.'
      }
      noun={['sign-in', 'sign-ins']}
      query={{
        ...pages(['sessions', user], (after, options) => stoa.listSessions({ ...filter, ...after }, options)),
        placeholderData: keepPreviousData,
      }}
      idOf={({ id }) => id}
      columns={COLUMNS}
      top={<SignInTabs />}
      filters={user && <PersonChip user={user} onClear={() => setUser('')} />}
      details={(session, steps) => <SessionDetails of={session} {...steps} onUser={isManager ? setUser : null} />}
      empty={user ? NO_APP : NOBODY}
    />
  )
}

const NOBODY = { icon: 'signin', title: 'Nobody is signed in', says: 'A sign-in to one of your apps is listed here.' }
const NO_APP = {
  icon: 'signin',
  title: 'This person is signed in to no app',
  says: 'A sign-in to the account page alone is not listed.',
}

const PersonChip = ({ user, onClear }: { user: string; onClear: () => void }) => (
  <span className="chip">
    <span>Person</span>
    <b className="mono">{user}</b>
    <button type="button" aria-label="Show all people" onClick={onClear}>
      <Icon name="x" small />
    </button>
  </span>
)

const COLUMNS: Column<Session>[] = [
  { head: 'Person', className: 'p1', cell: ({ email }) => email },
  { head: 'App', className: 'p3', cell: ({ app }) => app },
  { head: 'Account', className: 'low', cell: ({ user }) => (user.startsWith('cus_') ? 'Customer' : 'Team') },
  { head: 'Signed in', className: 'r p2', cell: ({ created }) => <Time at={created} /> },
]

type DetailsProps = { of: Session; onUser: ((user: string) => void) | null } & Steps

function SessionDetails({ of, onUser, ...steps }: DetailsProps) {
  const [asks, setAsks] = useState(false)
  const end = useChange({
    run: () => stoa.endSession({ id: of.id }),
    changes: [['sessions'], ['me']],
    done: () => `Sign-in of ${of.email} ended`,
    onDone: steps.onClose,
  })
  const foot = (
    <>
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks(true)}>
        <Icon name="stop" />
        End sign-in…
      </button>
      {onUser && (
        <span className="right">
          <button type="button" className="btn" onClick={() => onUser(of.user)}>
            Show this person
          </button>
        </span>
      )}
    </>
  )
  return (
    <>
      <Drawer title={of.email} sub={`Signed in to ${of.app}`} foot={foot} {...steps}>
        <Facts
          of={{
            App: of.app,
            'Signed in': <Time at={of.created} />,
            Person: <Id text={of.user} show />,
            'Sign-in': <Id text={of.id} shown={`${of.id.slice(0, 16)}…`} show />,
          }}
        />
      </Drawer>
      {asks && (
        <Confirm
          title={`End the sign-in of ${of.email}?`}
          action="End sign-in"
          onNo={() => setAsks(false)}
          onYes={end.mutate}
        >
          <p>
            Its tokens and its browser session at {of.app} end now. {of.email} can sign in again. Keys are not affected.
          </p>
        </Confirm>
      )}
    </>
  )
}
