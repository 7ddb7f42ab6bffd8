import './billing.css'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { BillingSettings } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { errorText, Failed, RequestId } from '../../frame/problems.tsx'
import { Sheet } from '../../frame/sheet.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Field, fieldError } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { balance, Money } from '../../parts/money.tsx'
import { BillingTabs, billingSettings, monthStart, spentSince, WITHIN } from './queries.tsx'

export function Alerts() {
  const { data: person } = useQuery(me)
  const { data, error, refetch } = useQuery(billingSettings)
  const month = useQuery(spentSince(monthStart()))
  useCode('getBillingSettings', 'GET', '/v1/billing/settings', {})
  const now = useQuery(balance)
  return (
    <Sheet title="Alerts" within={WITHIN}>
      <header className="head">
        <div className="grow">
          <h1>Billing</h1>
          <p>
            Alerts are events, which webhooks receive. They stop nothing; the budget of a key does.
            {person && !manages(person) && ' Owners and admins can change them.'}
          </p>
        </div>
      </header>
      <BillingTabs />
      {error && !data && <Failed error={error} reset={() => void refetch()} />}
      {data && person && (
        <div className="section balerts">
          {manages(person) ? (
            <AlertsForm key={JSON.stringify(data)} settings={data} currency={now.data?.currency ?? ''} />
          ) : (
            <Shown of={data} />
          )}
          {month.data && data.spendAlerts.length > 0 && (
            <section>
              <h2>This month</h2>
              <ul className="rows">
                {data.spendAlerts.map(cents => (
                  <Reached key={cents} cents={cents} spent={month.data.amount} />
                ))}
              </ul>
            </section>
          )}
        </div>
      )}
    </Sheet>
  )
}

/** For people who may not change them. */
const Shown = ({ of: { spendAlerts, balanceAlert } }: { of: BillingSettings }) => (
  <section>
    <h2>Alerts</h2>
    <dl className="kv">
      <dt>Spent in a month</dt>
      <dd>
        {spendAlerts.map(cents => (
          <div key={cents}>
            <Money cents={cents} />
          </div>
        ))}
        {spendAlerts.length === 0 && 'No alert'}
      </dd>
      <dt>Balance below</dt>
      <dd>{typeof balanceAlert === 'number' ? <Money cents={balanceAlert} /> : 'No alert'}</dd>
    </dl>
  </section>
)

const Reached = ({ cents, spent }: { cents: number; spent: number }) => {
  const share = cents > 0 ? Math.min(100, (100 * spent) / cents) : 100
  return (
    <li>
      <div className="progress grow" data-tone={share >= 80 ? 'warn' : undefined}>
        <div className="line">
          <span>
            <Money cents={spent} /> <span className="muted">of</span> <Money cents={cents} />
          </span>
          <span className="muted">{share >= 100 ? 'Sent' : `${Math.floor(share)}%`}</span>
        </div>
        <div className="track" style={{ '--v': `${share}%` } as React.CSSProperties} />
      </div>
    </li>
  )
}

const amountText = (cents: number) => (cents / 100).toFixed(2)
const centsOf = (text: string) => Math.round(100 * Number(text))

function AlertsForm({ settings, currency }: { settings: BillingSettings; currency: string }) {
  const [spend, setSpend] = useState(settings.spendAlerts.map(amountText))
  const [low, setLow] = useState(settings.balanceAlert == null ? '' : amountText(settings.balanceAlert))
  const save = useChange({
    run: () =>
      stoa.updateBillingSettings({
        spendAlerts: spend.flatMap(text => (text === '' ? [] : centsOf(text))),
        balanceAlert: low === '' ? null : centsOf(low),
      }),
    changes: [billingSettings.queryKey],
    done: () => 'Alerts saved',
    showsErrors: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="form" data-guard onSubmit={submit}>
      <fieldset className="field">
        <legend className="label">Spent in a calendar month (UTC)</legend>
        {spend.map((text, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other identity
          <div key={n} className="line">
            <Amount
              label={`Spending alert ${n + 1}`}
              currency={currency}
              value={text}
              set={next => setSpend(spend.map((one, at) => (at === n ? next : one)))}
            />
            <button
              type="button"
              className="btn icon-only"
              data-kind="quiet"
              aria-label={`Remove spending alert ${n + 1}`}
              onClick={() => setSpend(spend.filter((_, at) => at !== n))}
            >
              <Icon name="x" />
            </button>
          </div>
        ))}
        {spend.length < 10 && (
          <div>
            <button type="button" className="chip-add" onClick={() => setSpend([...spend, ''])}>
              <Icon name="plus" small />
              Add amount
            </button>
          </div>
        )}
      </fieldset>
      <Field
        label="Balance below"
        optional
        help="Sent when the balance falls below this; empty for no alert"
        error={fieldError(save.error, 'balanceAlert')}
      >
        {its => <Amount {...its} currency={currency} value={low} set={setLow} />}
      </Field>
      {save.error && (
        <div className="callout" data-tone="danger" role="alert">
          <Icon name="alert" />
          <div>
            {errorText(save.error)}
            <RequestId error={save.error} />
          </div>
        </div>
      )}
      <div>
        <BusyButton type="submit" data-kind="primary" isBusy={save.isPending}>
          Save alerts
        </BusyButton>
      </div>
    </form>
  )
}

type AmountProps = { label?: string; currency: string; value: string; set: (text: string) => void; id?: string }

const Amount = ({ label, currency, value, set, ...its }: AmountProps) => (
  <span className="affix">
    <span>{currency}</span>
    <input
      {...its}
      aria-label={label}
      type="number"
      step="0.01"
      inputMode="decimal"
      value={value}
      onChange={event => set(event.target.value)}
    />
  </span>
)
