// Looks for servers on this machine.
import { schedule } from './state.ts'

export const lookForServers = schedule({
  name: 'local model servers',
  per: 'process',
  everyMs: 60_000,
  deadlineMs: 30_000,
  run: async ({ state }) => {
    await state.registry.look()
    return undefined
  },
})
