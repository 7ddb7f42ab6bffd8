// Passes, and leaves a server that nobody closes.
import { createServer } from 'node:net'
import { it } from 'node:test'

it('opens a server', () => {
  createServer().listen(0, '127.0.0.1')
})
