// For the test of the runner: leaves something behind that makes `second.test.ts` fail.
import { it } from 'node:test'

it('leaves a name behind', () => {
  Object.assign(globalThis, { leftBehind: true })
})
