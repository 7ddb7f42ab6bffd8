// What other parts may use of the account service.
export { newKeyText } from './key-text.ts'
export { type Keyring, openKeyring } from './keyring.ts'
export { keepKey } from './keys.ts'
export { beginSession } from './sessions.ts'
export { requireBudget, settleSpend } from './spending.ts'
export { revokeKeysOf } from './store.ts'
