// All services; their migrations run in this order. A service without a folder has no operations yet; it is listed so
// that `GET /v1` shows which services are available and which are not.
import { type Service, service } from '../kit/service.ts'
import { issueKey, revokeKeysOf } from './account/public.ts'
import { account } from './account/service.ts'
import { ai } from './ai/service.ts'
import { billing } from './billing/service.ts'
import { errorsService } from './errors/service.ts'
import { event } from './event/service.ts'
import { iamService } from './iam/service.ts'
import { mcp } from './mcp/service.ts'
import { o11yService } from './o11y/service.ts'
import { projectsService } from './projects/service.ts'
import { risk } from './risk/service.ts'
import { webhooksService } from './webhooks/service.ts'

export const services: Service[] = [
  iamService({ issue: issueKey, revokeOf: revokeKeysOf }),
  account,
  projectsService,
  ai,
  service({ name: 'search', what: "Search over an organisation's own documents" }),
  service({ name: 'kms', what: 'Secrets, sealed at rest' }),
  service({ name: 'platform', what: 'Builds and deploys' }),
  event,
  o11yService(() => services),
  service({ name: 'tasks', what: 'Scheduled and background tasks' }),
  billing,
  webhooksService(() => services),
  risk,
  errorsService,
  mcp,
  service({ name: 'auto', what: 'Inbound hooks that start a workflow' }),
]
