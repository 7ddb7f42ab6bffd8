import { stoa } from '../../api.ts'
import { Tabs } from '../../parts/tabs.tsx'

export const WITHIN = [{ label: 'Billing', path: 'billing' }]

export const BillingTabs = () => (
  <Tabs
    label="Billing"
    of={[
      ['billing', 'Balance and credits'],
      ['billing/usage', 'Usage'],
      ['billing/alerts', 'Alerts'],
    ]}
  />
)

/** Alerts and budgets count the spending of a calendar month in UTC. */
export const monthStart = () => `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`

export const spentSince = (since: string) => ({
  queryKey: ['usage', 'days', since],
  queryFn: ({ signal }: { signal: AbortSignal }) => stoa.getUsageSummary({ by: 'day', since, limit: 200 }, { signal }),
})

export const billingSettings = {
  queryKey: ['billing-settings'],
  queryFn: ({ signal }: { signal: AbortSignal }) => stoa.getBillingSettings({}, { signal }),
}
