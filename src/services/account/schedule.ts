// Writes when keys were last used.
import { schedule } from './state.ts'

export const writeLastUses = schedule({
  name: 'last uses of keys',
  per: 'process',
  everyMs: 1_000,
  deadlineMs: 30_000,
  run: async ({ state }) => {
    await state.keyring.flush()
    return undefined
  },
})
