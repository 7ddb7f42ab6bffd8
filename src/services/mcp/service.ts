import { service } from '../../kit/service.ts'
import * as door from './door.ts'
import { openDoor } from './state.ts'

export const mcp = service({
  name: 'mcp',
  what: 'Every operation as a tool',
  operations: [door],
  open: openDoor,
})
