// The state of the service: how many projects and domains an organisation may have.
import { serviceKit } from '../../kit/service.ts'

export type Projects = { projectsMax: number; domainsMax: number }

export const { operation } = serviceKit<Projects>()
