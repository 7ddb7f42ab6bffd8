// For the test of the runner: its process ends before its second test, as if all were well.
import { it } from 'node:test'

it('passes', () => {})
it('exits', () => process.exit(0))
