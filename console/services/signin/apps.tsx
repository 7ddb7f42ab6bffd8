import './signin.css'
import { useQuery } from '@tanstack/react-query'
import type { App } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { Id } from '../../parts/copy.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { AppDetails } from './app.tsx'
import { CreateApp } from './create-app.tsx'
import { SignInTabs } from './tabs.tsx'
import { PEOPLE, SIGN_UP, TYPES } from './words.ts'

export function Apps() {
  const { data } = useQuery(me)
  useCode('listApps', 'GET', '/v1/iam/apps', {})
  return (
    <List
      title="Apps"
      about="People sign in to your apps with OpenID Connect. Team and customers have separate accounts."
      noun={['app', 'apps']}
      query={pages(['apps'], (after, options) => stoa.listApps(after, options))}
      idOf={appKey}
      columns={COLUMNS}
      top={<SignInTabs />}
      {...(data && manages(data) && { create: 'Create app', creation: onClose => <CreateApp onClose={onClose} /> })}
      details={(app, steps) => <AppDetails of={app} {...steps} />}
      empty={{ icon: 'signin', title: 'No app yet', says: 'An app gets an id, and settings to paste into its code.' }}
    />
  )
}

/** The same client id can exist at several brands. */
const appKey = ({ id, brand }: App) => (brand === 'default' ? id : `${id}@${brand}`)

const COLUMNS: Column<App>[] = [
  { head: 'Name', className: 'p1', cell: ({ name }) => name },
  { head: 'Client id', className: 'p3', cell: ({ id }) => <Id text={id} /> },
  { head: 'Who signs in', className: 'p2', cell: ({ people }) => PEOPLE[people] },
  { head: 'Runs as', className: 'low', cell: ({ type }) => TYPES[type] },
  {
    head: 'Sign-up',
    className: 'low',
    cell: ({ people, signUp }) => (people === 'users' ? SIGN_UP[signUp] : <span className="zero">—</span>),
  },
  { head: 'Changed', className: 'r p4', cell: ({ updated }) => <Time at={updated} /> },
]
