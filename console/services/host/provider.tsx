// One provider: facts, its models with their prices, changing and removing it.
import { useState } from 'react'
import type { FixedProvider, Provider, ProviderModel } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { Time } from '../../parts/time.tsx'
import { KINDS, ProviderForm } from './provider-form.tsx'
import { FORMATS } from './providers.tsx'

export function ProviderDetails({ of, ...steps }: { of: Provider } & Steps) {
  const [asks, setAsks] = useState<'change' | 'remove' | null>(null)
  const remove = useChange({
    run: () => stoa.deleteProvider({ name: of.name }),
    changes: [['providers'], ['models']],
    done: () => `Provider ${of.name} removed`,
    onDone: steps.onClose,
  })
  if (asks === 'change') return <ProviderForm of={of} onClose={() => setAsks(null)} />
  const foot = (
    <>
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks('remove')}>
        <Icon name="trash" />
        Remove…
      </button>
      <span className="right">
        <button type="button" className="btn" onClick={() => setAsks('change')}>
          Edit
        </button>
      </span>
    </>
  )
  return (
    <>
      <Drawer title={of.name} foot={foot} {...steps}>
        <Facts
          of={{
            Provider: KINDS[of.kind],
            Format: FORMATS[of.wire],
            Address: <Id text={of.baseUrl} show />,
            Key: of.hasApiKey ? 'Set, and never shown' : 'None',
            Added: <Time at={of.created} />,
            Changed: of.updated !== of.created && <Time at={of.updated} />,
          }}
        />
        <Models of={of.models} />
      </Drawer>
      {asks === 'remove' && (
        <Confirm
          title={`Remove ${of.name}?`}
          action="Remove provider"
          onNo={() => setAsks(null)}
          onYes={() => remove.mutate()}
        >
          <p>
            Calls of its {of.models.length.toLocaleString()} {of.models.length === 1 ? 'model' : 'models'} fail from now
            on, unless another provider offers them. Running calls continue. Its key and the prices are lost.
          </p>
        </Confirm>
      )}
    </>
  )
}

const REASONS = {
  environment: 'The environment of the host configures it. Change its variables and restart the host.',
  machine: 'It was found on the machine of the host. Set STOA_AI_LOCAL=off to leave it out.',
}

export const FixedDetails = ({ of, ...steps }: { of: FixedProvider } & Steps) => (
  <Drawer title={of.name} {...steps}>
    <div className="callout">
      <Icon name="lock" />
      <div>
        <b>It cannot be changed here.</b> {REASONS[of.from]}
      </div>
    </div>
    <Facts
      of={{
        Format: FORMATS[of.wire],
        Address: <Id text={of.baseUrl} show />,
        Key: of.hasApiKey ? 'Set, and never shown' : 'None',
      }}
    />
    {of.models.length > 0 ? (
      <Models of={of.models} />
    ) : (
      <p className="muted">
        Its models are not known here. Any can be called as <span className="code">{of.name}/model</span>, without a
        price.
      </p>
    )}
  </Drawer>
)

const Models = ({ of }: { of: ProviderModel[] }) => (
  <section>
    <h3>Models, with the price of a million tokens</h3>
    <ul className="rows">
      {of.map(({ id, upstream, kind, price }) => (
        <li key={id}>
          <span className="grow">
            <span className="strong host-id">{id}</span>
            <span className="muted host-sub">
              {kind === 'embedding' ? 'Embeddings' : 'Chat'}
              {upstream && upstream !== id && `, ${upstream} at the provider`}
            </span>
          </span>
          <span className="host-price">
            {price ? (
              <>
                <Money cents={price.input} exact /> in
                {kind !== 'embedding' && (
                  <span className="host-sub">
                    <Money cents={price.output} exact /> out
                  </span>
                )}
              </>
            ) : (
              <span className="muted">No price</span>
            )}
          </span>
        </li>
      ))}
    </ul>
    {of.length === 0 && <p className="muted">It has no model, so it is never called.</p>}
  </section>
)
