// What other parts may use of the account service.
export { newKeyText } from './key-text.ts'
export { type Keyring, openKeyring } from './keyring.ts'
export { keepKey } from './keys.ts'
export { CALLBACK_PATH, LOGIN_PATH } from './login.ts'
export { beginSession } from './sessions.ts'
export { requireBudget, settleSpend } from './spending.ts'
export { deleteSignIn, deleteSignInsOf, revokeKeysOf } from './store.ts'
export { newWorkspaceSecret, signWorkspaceToken } from './workspace-tokens.ts'
