import { useQuery } from '@tanstack/react-query'
import type { CreateAppInput, CreateAppOutput } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { DoneFoot, Drawer } from '../../parts/drawer.tsx'
import { Form, FormFoot } from '../../parts/form.tsx'
import { Secret } from '../../parts/secret.tsx'
import { createFields } from './app-fields.ts'
import { Connect } from './connect.tsx'

export function CreateApp({ onClose }: { onClose: () => void }) {
  const { data } = useQuery(me)
  const create = useChange({
    run: (input: CreateAppInput) => stoa.createApp(input),
    changes: [['apps']],
    showsErrors: true,
  })
  if (create.data) return <Created made={create.data} onClose={onClose} />
  const foot = <FormFoot form="app" action="Create app" isBusy={create.isPending} onCancel={onClose} />
  return (
    <Drawer title="Create an app" onClose={onClose} foot={foot}>
      {data && (
        <Form
          id="app"
          operation="createApp"
          fields={createFields(data)}
          initial={{ people: 'users', type: 'confidential', signUp: 'open' }}
          error={create.error}
          onSubmit={create.mutate}
        />
      )}
    </Drawer>
  )
}

/** The only time that the secret is shown. */
const Created = ({ made, onClose }: { made: CreateAppOutput; onClose: () => void }) => (
  <Drawer title={`${made.name} created`} onClose={onClose} foot={<DoneFoot onClose={onClose} />}>
    {made.secret && <Secret label="Client secret" text={made.secret} />}
    <Connect of={made} {...(made.secret && { secret: made.secret })} />
  </Drawer>
)
