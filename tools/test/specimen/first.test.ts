// For the test of the runner: leaves something behind that `second.test.ts` does not bear.
import { it } from 'node:test'

it('leaves a name behind', () => {
  Object.assign(globalThis, { leftBehind: true })
})
