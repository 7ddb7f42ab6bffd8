// The state of the service: how many projects and domains an organisation may have, the source of its events, and the log
// of background work.
import { serviceKit } from '../../kit/service.ts'

export type Projects = { projectsMax: number; domainsMax: number; source: string; warn: (error: unknown) => void }

export const { operation, schedule } = serviceKit<Projects>()
