// An event on the bus: CloudEvents 1.0 plus the organisation it belongs to.

export type Envelope = {
  specversion: '1.0'
  id: string
  source: string
  /** The subject: dot-separated tokens such as `project.domain.verified`. */
  type: string
  time: string
  /** The organisation's slug. */
  tenant: string
  project?: string
  data: unknown
}
