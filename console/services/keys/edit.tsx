import type { FormEvent } from 'react'
import type { Key } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Drawer } from '../../parts/drawer.tsx'
import { FormFoot } from '../../parts/form.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Bounds, boundsOf, NameField } from './bounds.tsx'

export function EditKey({ of, onClose }: { of: Key; onClose: () => void }) {
  const isSecret = of.type === 'secret'
  const save = useChange({
    run: (form: FormData) => {
      const { month, ...bounds } = boundsOf(form)
      // Both caps are set together.
      const total = of.budget?.total ?? 0
      const budget = isSecret && { budget: month + total > 0 ? { month, total } : null }
      return stoa.updateKey({ id: of.id, name: String(form.get('name')).trim(), ...bounds, ...budget })
    },
    changes: [['keys']],
    done: ({ name }) => `Key ${name} saved`,
    onDone: onClose,
    showsErrors: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  const foot = <FormFoot form="edit-key" action="Save key" isBusy={save.isPending} onCancel={onClose} />
  const now = { name: of.name, month: of.budget?.month ?? 0, rate: of.rate, expires: of.expires }
  return (
    <Drawer title={`Edit ${of.name}`} onClose={onClose} foot={foot}>
      <form className="form" id="edit-key" onSubmit={submit}>
        <NameField of={now} error={save.error} />
        <Bounds of={now} isSecret={isSecret} error={save.error} />
        {save.error !== null && <Problem error={save.error} />}
      </form>
    </Drawer>
  )
}
