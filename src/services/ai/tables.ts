import { table } from '../../kit/table.ts'

const KEPT_MS = 30 * 86_400_000
const CALLED = { kept: 'The log says for which project a model was called' }

export const providers = table({ name: 'ai_providers', shared: 'Superadmins add providers for all organisations' })

export const requests = table({
  name: 'ai_requests',
  org: 'org',
  ofProject: CALLED,
  retention: [{ column: 'created', keptMs: KEPT_MS }],
})

export const responses = table({
  name: 'ai_responses',
  org: 'org',
  retention: [{ column: 'created', keptMs: KEPT_MS }],
})
