import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { App, UpdateAppInput } from '../../../client/stoa.js'
import { type Me, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { changedIn } from '../../parts/changed.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Form, FormFoot } from '../../parts/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Secret } from '../../parts/secret.tsx'
import { Time } from '../../parts/time.tsx'
import { editFields, withEmptied } from './app-fields.ts'
import { Connect } from './connect.tsx'
import { PEOPLE, SIGN_UP, TYPES } from './words.ts'

export function AppDetails({ of, ...steps }: { of: App } & Steps) {
  const { data: person } = useQuery(me)
  const [asks, setAsks] = useState<'edit' | 'rotate' | 'delete' | null>(null)
  const { id, brand, name } = of
  const changes = [['apps']]
  const rotate = useChange({ run: () => stoa.rotateAppSecret({ id, brand }), changes })
  const remove = useChange({
    run: () => stoa.deleteApp({ id, brand }),
    changes,
    done: () => `App ${name} deleted`,
    onDone: steps.onClose,
  })
  if (!person) return null
  if (asks === 'edit') return <EditApp of={of} person={person} onClose={() => setAsks(null)} />
  const mayChange = !of.trusted || person.role === 'owner'
  const secret = rotate.data?.secret
  return (
    <>
      <Drawer
        title={name}
        sub={<Id text={id} show />}
        foot={<Foot of={of} {...{ mayChange }} ask={setAsks} />}
        {...steps}
      >
        {secret && <Secret label="Client secret" text={secret} />}
        {!mayChange && <p className="muted">This app is trusted, so that only an owner changes it.</p>}
        <Facts of={factsOf(of)} />
        <Connect of={of} {...(secret && { secret })} />
      </Drawer>
      {asks === 'rotate' && (
        <Confirm
          title={`Replace the secret of ${name}?`}
          action="Replace secret"
          onNo={() => setAsks(null)}
          onYes={rotate.mutate}
        >
          <p>The present secret stops working now. Until the app has the new one, nobody can sign in to it.</p>
        </Confirm>
      )}
      {asks === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete app"
          type={id}
          onNo={() => setAsks(null)}
          onYes={remove.mutate}
        >
          <p>People can no longer sign in to it, and its tokens end now. Their accounts stay.</p>
        </Confirm>
      )}
    </>
  )
}

type FootProps = { of: App; mayChange: boolean; ask: (what: 'edit' | 'rotate' | 'delete') => void }

const Foot = ({ of, mayChange, ask }: FootProps) => (
  <>
    <button type="button" className="btn" data-kind="danger-quiet" onClick={() => ask('delete')}>
      <Icon name="trash" />
      Delete…
    </button>
    {mayChange && (
      <span className="right">
        {of.type === 'confidential' && (
          <button type="button" className="btn" onClick={() => ask('rotate')}>
            <Icon name="refresh" />
            Replace secret…
          </button>
        )}
        <button type="button" className="btn" onClick={() => ask('edit')}>
          Edit
        </button>
      </span>
    )}
  </>
)

function EditApp({ of, person, onClose }: { of: App; person: Me; onClose: () => void }) {
  const [before] = useState(of)
  const fields = editFields(person, of)
  const edit = useChange({
    run: (input: Partial<UpdateAppInput>) =>
      stoa.updateApp({ ...changedIn(before, withEmptied(fields, input)), id: of.id, brand: of.brand }),
    changes: [['apps']],
    done: ({ name }) => `App ${name} changed`,
    onDone: onClose,
    showsErrors: true,
  })
  const foot = <FormFoot form="app" action="Save app" isBusy={edit.isPending} onCancel={onClose} />
  return (
    <Drawer title={`Edit ${of.name}`} onClose={onClose} foot={foot}>
      <Form id="app" operation="updateApp" fields={fields} initial={of} error={edit.error} onSubmit={edit.mutate} />
    </Drawer>
  )
}

const factsOf = (of: App) => ({
  'Who signs in': PEOPLE[of.people],
  'Runs as': TYPES[of.type],
  'Sign-up': of.people === 'users' && signUpText(of),
  'Redirect URIs': <Lines of={of.redirectUris} />,
  'Sign-out URIs': of.logoutUris.length > 0 && <Lines of={of.logoutUris} />,
  Tokens: tokensText(of),
  Claims: of.claims.length > 0 && of.claims.join(', '),
  Brand: of.brand !== 'default' && of.brand,
  Logo: of.logo && <img className="logo" src={of.logo} alt={`Logo of ${of.name}`} />,
  Colour: of.color && <Swatch of={of.color} />,
  Created: <Time at={of.created} />,
  Changed: <Time at={of.updated} />,
})

function signUpText({ signUp, signUpDomains, refuseDisposable }: App): string {
  const domains = signUpDomains.length > 0 ? ` at ${signUpDomains.join(', ')}` : ''
  return `${SIGN_UP[signUp]}${domains}${refuseDisposable ? ', without disposable addresses' : ''}`
}

function tokensText({ audience, trusted, mayWrite, people }: App): string {
  if (audience) return `For ${audience}`
  if (trusted) return 'Trusted: the full role of the person'
  if (people === 'users') return 'The customer’s own account'
  return mayWrite ? 'The rights of a member' : 'Read as a member, and write events'
}

const Lines = ({ of }: { of: string[] }) => of.map(line => <div key={line}>{line}</div>)

export const Swatch = ({ of }: { of: string }) => (
  <span className="swatch" style={{ '--swatch': of } as React.CSSProperties}>
    {of}
  </span>
)
