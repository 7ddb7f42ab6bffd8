// The two kinds of accounts: those of the team, in the table `users`, and those of customers. Operations that both support
// are written once, for the table that an id belongs to.
import type { Fragment } from '../../../engines/engines.ts'
import { fragment } from '../../../kit/sql.ts'

/** Whether it is the id of a customer. */
export const isCustomerId = (user: string | null): boolean => user?.startsWith('cus_') ?? false

/** The table of the account. */
export const accountsOf = (user: string): Fragment => (isCustomerId(user) ? fragment`customers` : fragment`users`)
