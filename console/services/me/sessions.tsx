import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Session } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { signOut } from '../../frame/sign-out.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { AccountTabs, WITHIN } from './tabs.tsx'

export function OwnSessions() {
  const { data } = useQuery(me)
  const filter = { user: data?.user ?? '' }
  useCode('listSessions', 'GET', '/v1/iam/sessions', filter)
  const name = data?.orgs.find(({ org }) => org === data.org)?.name ?? data?.org ?? ''
  return (
    <List
      title="Sign-ins"
      heading="Your sign-ins"
      within={WITHIN}
      about={`Where you are signed in to ${name}, in all browsers. Those to another organisation are listed when you switch to it.`}
      noun={['sign-in', 'sign-ins']}
      query={pages(['own-sessions', filter.user], (after, options) =>
        stoa.listSessions({ ...filter, ...after }, options),
      )}
      idOf={({ id }) => id}
      columns={COLUMNS}
      top={<AccountTabs />}
      details={(session, steps) => <Details of={session} {...steps} />}
      empty={{ icon: 'signin', title: 'No sign-in', says: 'A sign-in to the console or to an app is listed here.' }}
    />
  )
}

const OWN_APP = 'admin-console'
const appOf = ({ app }: Session) => (app === OWN_APP ? 'Console' : app)

const COLUMNS: Column<Session>[] = [
  { head: 'App', className: 'p1', cell: appOf },
  {
    head: 'Browser',
    className: 'p3',
    cell: ({ current }) => (current ? <Status tone="success">This browser</Status> : 'Another one'),
  },
  { head: 'Signed in', className: 'r p2', cell: ({ created }) => <Time at={created} /> },
]

function Details({ of, ...steps }: { of: Session } & Steps) {
  const [asks, setAsks] = useState(false)
  const end = useChange({
    run: () => stoa.endSession({ id: of.id }),
    changes: [['own-sessions'], ['me']],
    done: () => 'Sign-in ended',
    onDone: steps.onClose,
  })
  const leave = useChange({ run: () => signOut(), changes: [] })
  const foot = of.current ? (
    <button type="button" className="btn" aria-busy={leave.isPending} onClick={() => leave.mutate()}>
      <Icon name="signin" />
      Sign out
    </button>
  ) : (
    <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks(true)}>
      <Icon name="stop" />
      End sign-in…
    </button>
  )
  return (
    <>
      <Drawer
        title={appOf(of)}
        sub={of.current ? <Status tone="success">This browser</Status> : 'Another browser'}
        foot={foot}
        {...steps}
      >
        <Facts
          of={{
            App: <span className="mono">{of.app}</span>,
            'Signed in': <Time at={of.created} />,
            'Sign-in': <Id text={of.id} shown={`${of.id.slice(0, 16)}…`} show />,
          }}
        />
        {!of.current && (
          <p className="muted">Do you not know it? End it, and change your password, which ends all others.</p>
        )}
      </Drawer>
      {asks && (
        <Confirm title="End this sign-in?" action="End sign-in" onNo={() => setAsks(false)} onYes={end.mutate}>
          <p>That browser is signed out of all apps now, and their tokens end. Your keys stay.</p>
        </Confirm>
      )}
    </>
  )
}
