// The state of the service: how many projects and domains an organisation may have, and the source of its events.
import { serviceKit } from '../../kit/service.ts'

export type Projects = { projectsMax: number; domainsMax: number; source: string }

export const { operation, queue, schedule } = serviceKit<Projects>()
