import './billing.css'
import { useQuery } from '@tanstack/react-query'
import type { AddCreditInput, Credit } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Id } from '../../parts/copy.tsx'
import { download } from '../../parts/download.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { balance, Money } from '../../parts/money.tsx'
import { Time } from '../../parts/time.tsx'
import { BillingTabs, billingSettings, monthStart, spentSince } from './queries.tsx'

export function Credits() {
  const { data: person } = useQuery(me)
  const [org] = useParam('org')
  useCode('listCredits', 'GET', '/v1/billing/credits', {})
  return (
    <List
      title="Billing"
      about="Credits are what was paid in; usage is taken from the balance."
      actions={person && manages(person) && <JournalButton />}
      top={
        <>
          <BillingTabs />
          <Figures />
        </>
      }
      noun={['credit', 'credits']}
      query={pages(['credits'], (after, options) => stoa.listCredits(after, options))}
      idOf={one => one.transactionId}
      columns={COLUMNS}
      create={person?.superadmin ? 'Add credit' : undefined}
      creation={onClose => <AddCredit org={org || (person?.org ?? '')} onClose={onClose} />}
      empty={{
        icon: 'card',
        title: 'No credit yet',
        says: 'The operator of this host adds credit when it is paid. It is listed here with its reason.',
      }}
    />
  )
}

const COLUMNS: Column<Credit>[] = [
  {
    head: 'Reason',
    className: 'p1 fill',
    cell: ({ reason, amount }) => (
      <>
        <span className="main">{reason}</span>
        {amount < 0 && <span className="muted"> taken back</span>}
      </>
    ),
  },
  { head: 'Transfer', className: 'p3 low', cell: one => <Id text={one.transactionId} /> },
  { head: 'Date', className: 'r p4', cell: ({ created }) => <Time at={created} /> },
  { head: 'Amount', className: 'r p2', cell: ({ amount }) => <Money cents={amount} /> },
]

function Figures() {
  const { data } = useQuery(balance)
  const month = useQuery(spentSince(monthStart()))
  const settings = useQuery(billingSettings)
  const low = settings.data?.balanceAlert ?? undefined
  const isLow = data !== undefined && low !== undefined && data.balance < low
  return (
    <div className="section btop">
      {isLow && (
        <div className="callout" data-tone="warn">
          <Icon name="info" />
          <div>
            <b>The balance is low.</b> It is below the alert of <Money cents={low} />. Ask the operator for credit
            before calls are refused.
          </div>
        </div>
      )}
      <div className="tiles">
        <Tile label="Balance">{data && <Money cents={data.balance} />}</Tile>
        <Tile label="Held for running calls">{data && <Money cents={data.holds} />}</Tile>
        <Tile label="Available">{data && <Money cents={data.available} />}</Tile>
        <Tile label="Spent this month">{month.data && <Money cents={month.data.amount} />}</Tile>
      </div>
    </div>
  )
}

export const Tile = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div className="tile">
    <span className="label">{label}</span>
    <span className="figure">{children || <span className="skeleton" />}</span>
  </div>
)

/** Every transfer, for the books. */
function JournalButton() {
  const save = useChange({
    run: async () => (await stoa.listJournalCsv()).text(),
    changes: [],
    onDone: text => download('journal.csv', text),
  })
  return (
    <BusyButton isBusy={save.isPending} onClick={() => save.mutate()}>
      Download journal
    </BusyButton>
  )
}

function AddCredit({ org, onClose }: { org: string; onClose: () => void }) {
  const add = useChange({
    run: (input: AddCreditInput) => stoa.addCredit(input),
    changes: [['credits'], balance.queryKey],
    done: () => 'Credit added',
    onDone: onClose,
    showsErrors: true,
  })
  return (
    <FormDrawer
      title="Add credit"
      action="Add credit"
      operation="addCredit"
      fields={[
        { path: 'org', label: 'Organisation' },
        {
          path: 'amount',
          label: 'Amount',
          help: 'In the currency of the host; negative to take credit back',
          control: ({ set, value: _, schema: __, ...its }) => (
            <input
              {...its}
              className="input"
              type="number"
              step="0.01"
              required
              onChange={event => set(Math.round(100 * event.target.valueAsNumber))}
            />
          ),
        },
        { path: 'reason', label: 'Reason' },
      ]}
      initial={{ org }}
      change={add}
      onClose={onClose}
    />
  )
}
