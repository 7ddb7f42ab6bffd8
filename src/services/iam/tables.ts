import { fragment } from '../../kit/sql.ts'
import { table } from '../../kit/table.ts'
import { isOpen } from './invites/store.ts'
import { countCustomers } from './users/store.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const PERSON = 'It is about a person, who may belong to several organisations'
const INSTALLATION = 'It is about the whole installation'

/** Rows about a person belong to an organisation if the person is a customer. */
const OF_CUSTOMER = { table: 'customers', columns: ['user_id'], keys: ['id'] }

export const orgs = table({ name: 'orgs', org: 'slug', kept: 'It is deleted when all other rows are gone' })

export const formerOrgs = table({
  name: 'former_orgs',
  org: 'slug',
  kept: 'The slug of a deleted organisation is not used again',
})

export const members = table({
  name: 'members',
  org: 'org',
  bound: {
    setting: 'STOA_MEMBERS_MAX',
    fallback: 10_000,
    doc: 'Members that an organisation may have',
    what: 'members',
    remedy: 'Remove one first.',
  },
})

export const invites = table({
  name: 'invites',
  org: 'org',
  bound: {
    setting: 'STOA_INVITES_MAX',
    fallback: 500,
    doc: 'Open invites that an organisation may have',
    what: 'open invites',
    remedy: 'Withdraw one first, or wait until some expire.',
    where: isOpen,
  },
})

export const inviteMails = table({ name: 'invite_mails', org: 'org' })

export const apps = table({
  name: 'apps',
  org: 'org',
  bound: {
    setting: 'STOA_APPS_MAX',
    fallback: 500,
    doc: 'Apps that an organisation may have, at all brands',
    what: 'apps',
    remedy: 'Delete one first.',
    where: () => fragment`not chooses`,
  },
})

export const workspaces = table({
  name: 'workspaces',
  org: 'org',
  bound: {
    setting: 'STOA_WORKSPACES_MAX',
    fallback: 1_000,
    doc: 'Workspaces that an organisation may have',
    what: 'workspaces',
    remedy: 'Delete one first.',
  },
})

export const audit = table({ name: 'audit', org: 'org' })

export const oidc = table({
  name: 'oidc',
  org: 'org',
  // The browser sessions of customers name no app, and at first had no organisation.
  through: [{ table: 'apps', columns: ['brand', 'client'], keys: ['brand', 'id'] }, OF_CUSTOMER],
  retention: [{ column: 'expires', keptMs: 0 }],
})

export const customers = table({
  name: 'customers',
  org: 'org',
  bound: {
    setting: 'STOA_CUSTOMERS_MAX',
    fallback: 10_000_000,
    doc: 'Customers (`/v1/iam/users`) that an organisation may have',
    what: 'customers',
    remedy: 'Delete one first.',
    counted: countCustomers,
  },
})
export const customerCounts = table({ name: 'customer_counts', org: 'org' })
export const customerCodes = table({
  name: 'customer_codes',
  org: 'org',
  retention: [{ column: 'created', keptMs: HOUR_MS }],
})
export const customerTerms = table({ name: 'customer_terms', org: 'org' })
const IMPORTS_KEPT = { column: 'created', keptMs: 30 * DAY_MS }
export const customerImports = table({ name: 'customer_imports', org: 'org', retention: [IMPORTS_KEPT] })
export const customerImportLines = table({
  name: 'customer_import_lines',
  org: 'org',
  retention: [IMPORTS_KEPT],
  bound: {
    setting: 'STOA_IMPORT_LINES_MAX',
    fallback: 200_000,
    doc: 'Customer import records that an organisation may have: waiting ones, and those of the last 30 days that were not imported',
    what: 'records of imports',
    remedy: 'Wait until earlier ones are deleted.',
  },
})

export const users = table({ name: 'users', shared: PERSON })
export const resets = table({ name: 'resets', shared: PERSON, retention: [{ column: 'created', keptMs: HOUR_MS }] })
export const addressChanges = table({
  name: 'address_changes',
  through: [OF_CUSTOMER],
  retention: [{ column: 'created', keptMs: HOUR_MS }],
})
export const guesses = table({
  name: 'guesses',
  shared: 'Wrong passwords are counted by person and by address',
  retention: [{ column: 'ends', keptMs: 0 }],
})

export const brands = table({ name: 'brands', shared: INSTALLATION })
export const signingKeys = table({ name: 'signing_keys', shared: INSTALLATION })
export const rootKey = table({ name: 'root_key', shared: INSTALLATION })
