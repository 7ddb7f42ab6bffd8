// The state of the service: the ids of the consumers and queues that this version has.
import { serviceKit } from '../../kit/service.ts'

export type Observed = { consumers: ReadonlySet<string>; queues: ReadonlySet<string> }

export const { operation, schedule } = serviceKit<Observed>()
