// An event as the bus carries it: CloudEvents 1.0 with the organisation it belongs to.

export type Envelope = {
  specversion: '1.0'
  id: string
  source: string
  /** The subject: dot-separated tokens, `project.domain.verified`. */
  type: string
  time: string
  /** The organisation's slug. */
  tenant: string
  project?: string
  data: unknown
}
