import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { CreateKeyInput, CreateKeyOutput } from '../../../client/stoa.js'
import { services, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { DoneFoot, Drawer } from '../../parts/drawer.tsx'
import { FormFoot } from '../../parts/form.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Secret } from '../../parts/secret.tsx'
import { withTimes } from '../../parts/time.tsx'
import { Bounds, boundsOf, NameField } from './bounds.tsx'
import { READ_ONLY } from './reach.ts'

/** The limits of a new key, as a person chooses them. */
const REACHES = [
  ['', 'Everything I may do', 'Every service, now and later'],
  [READ_ONLY, 'Read only', 'Every service, and writes nothing'],
  ['product', 'One service', 'Reads and writes there, and nothing else'],
] as const

export function CreateKey({ onClose }: { onClose: () => void }) {
  const create = useChange({
    run: (input: CreateKeyInput) => stoa.createKey(input),
    changes: [['keys']],
    showsErrors: true,
  })
  if (create.data) return <Created made={create.data} onClose={onClose} />
  return <CreateForm error={create.error} isBusy={create.isPending} onCreate={create.mutate} onClose={onClose} />
}

type FormProps = { error: unknown; isBusy: boolean; onCreate: (input: CreateKeyInput) => void; onClose: () => void }

function CreateForm({ error, isBusy, onCreate, onClose }: FormProps) {
  const [type, setType] = useState<'secret' | 'publishable'>('secret')
  const [reach, setReach] = useState('')
  const { data } = useQuery(services)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onCreate(inputOf(new FormData(event.currentTarget)))
  }
  const foot = <FormFoot form="create-key" action="Create key" isBusy={isBusy} onCancel={onClose} />
  return (
    <Drawer title="Create a key" onClose={onClose} foot={foot}>
      <form className="form" id="create-key" onSubmit={submit}>
        <NameField error={error} />
        <fieldset className="field">
          <legend className="label">Type</legend>
          <Choice
            name="type"
            value="secret"
            chosen={type}
            label="Secret"
            says="For servers. It acts as you"
            choose={() => setType('secret')}
          />
          <Choice
            {...{ name: 'type', value: 'publishable', chosen: type, label: 'Publishable' }}
            says="For pages and apps. It only sends events"
            choose={() => setType('publishable')}
          />
        </fieldset>
        {type === 'secret' && (
          <fieldset className="field">
            <legend className="label">What it may do</legend>
            {REACHES.map(([value, label, says]) => (
              <Choice
                key={label}
                name="reach"
                {...{ value, label, says }}
                chosen={reach}
                choose={() => setReach(value)}
              />
            ))}
            {reach === 'product' && (
              <select className="input" name="product" aria-label="Service">
                {data?.services
                  .filter(one => one.operations > 0)
                  .map(({ name, what }) => (
                    <option key={name} value={name}>{`${name}: ${what}`}</option>
                  ))}
              </select>
            )}
          </fieldset>
        )}
        <Bounds isSecret={type === 'secret'} error={error} />
        {error !== null && <Problem error={error} />}
      </form>
    </Drawer>
  )
}

type ChoiceProps = { name: string; value: string; chosen: string; label: string; says: string; choose: () => void }

const Choice = ({ name, value, chosen, label, says, choose }: ChoiceProps) => (
  <label className="choice">
    <input type="radio" name={name} value={value} checked={chosen === value} onChange={choose} />
    <span>
      <b>{label}</b>
      <span className="muted">{says}</span>
    </span>
  </label>
)

function inputOf(form: FormData): CreateKeyInput {
  const text = (name: string) => String(form.get(name) ?? '')
  const reach = text('reach') === 'product' ? `product:${text('product')}` : text('reach')
  const { month, rate, expires } = boundsOf(form)
  return {
    name: text('name').trim(),
    type: text('type') as 'secret' | 'publishable',
    ...(reach && { limit: [reach] }),
    ...(month > 0 && { budget: { month } }),
    ...(rate !== null && { rate }),
    ...(expires !== null && { expires }),
  }
}

/** The only time that the secret is shown. */
const Created = ({ made, onClose }: { made: CreateKeyOutput; onClose: () => void }) => (
  <Drawer title="Key created" onClose={onClose} foot={<DoneFoot onClose={onClose} />}>
    <Secret label="Key" text={made.key} {...(made.type === 'publishable' && { says: 'This key may be in a page.' })} />
    <section>
      <h3>What it may do</h3>
      <ul className="may">
        {made.may.map(says => (
          <li key={says}>{withTimes(says)}</li>
        ))}
      </ul>
    </section>
    <section>
      <h3>First call</h3>
      <CodeBlock samples={firstCalls(made)} />
    </section>
  </Drawer>
)

function firstCalls({ key, type }: CreateKeyOutput) {
  const call =
    type === 'secret'
      ? `curl ${location.origin}/v1/iam/me -H "Authorization: Bearer $STOA_KEY"`
      : `curl ${location.origin}/v1/event -H "Authorization: Bearer $STOA_KEY" --json '{"event": "Page Viewed"}'`
  const script = `import { createStoa } from 'stoa-client'

const stoa = createStoa({ baseUrl: '${location.origin}', key: process.env.STOA_KEY })
console.log(await stoa.${type === 'secret' ? 'getMe()' : "ingestEvents({ body: { event: 'Page Viewed' } })"})`
  return [
    { name: 'curl', code: `export STOA_KEY=${key}\n${call}` },
    { name: 'TypeScript', code: script },
  ]
}
