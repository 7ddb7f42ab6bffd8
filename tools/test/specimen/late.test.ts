// For the test of the runner: all tests pass, and the process fails.
import { it } from 'node:test'

it('passes', () => {
  process.exitCode = 3
})
