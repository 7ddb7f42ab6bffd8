// The parts of the account service that other modules may use.

export { keepOnce } from './idempotency-records.ts'
export { newKeyText } from './key-text.ts'
export type { Keyring } from './keyring.ts'
export { issueKey, keepKey } from './keys.ts'
export { CALLBACK_PATH, LOGIN_PATH } from './login.ts'
export { publishableKeyFor } from './publishable.ts'
export { beginSession } from './sessions.ts'
export { settleSpends } from './spending.ts'
export { revokeKeysOf } from './store.ts'
