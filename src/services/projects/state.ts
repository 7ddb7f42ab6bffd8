// The state of the service: the source of its events.
import { serviceKit } from '../../kit/service.ts'

export type Projects = { source: string }

export const { operation, queue, schedule } = serviceKit<Projects>()
