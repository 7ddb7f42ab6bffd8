import { table } from '../../kit/table.ts'

const JOURNAL = 'The journal is append-only, so that all accounts always add up to 0'
const PAID = { kept: 'What was paid for a project stays paid' }

export const accounts = table({ name: 'billing_accounts', org: 'org', kept: JOURNAL })
export const transfers = table({ name: 'billing_transfers', org: 'org', kept: JOURNAL, ofProject: PAID })
export const hours = table({ name: 'billing_hours', org: 'org', ofProject: PAID })
export const orgs = table({ name: 'billing_orgs', org: 'org' })
/** Usage is written into the journal before its hold is deleted. */
export const holds = table({ name: 'billing_holds', org: 'org', isDrained: true, ofProject: PAID })
