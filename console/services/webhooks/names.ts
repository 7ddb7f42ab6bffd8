import type { WebhookDelivery, WebhookEndpoint } from '../../../client/stoa.js'

export type Endpoint = WebhookEndpoint
export type Attempt = WebhookDelivery

/** What people call an endpoint: its description, or else its address without the scheme. */
export const nameOf = ({ description, url }: Pick<Endpoint, 'description' | 'url'>) =>
  description || url.replace('https://', '')

/** What must be typed to delete it. */
export const hostOf = ({ url }: Pick<Endpoint, 'url'>) => new URL(url).host

/** In the address: an attempt of a delivery. */
export const attemptId = ({ delivery, attempt }: Pick<Attempt, 'delivery' | 'attempt'>) => `${delivery}.${attempt}`
export const deliveryOf = (id: string) => id.split('.')[0] ?? ''

const ATTEMPTED_MS = 1_500

/** After something was sent again: its first attempt is finished a moment later. */
export const attempted = () => new Promise(done => setTimeout(done, ATTEMPTED_MS))

export const ATTEMPT_MAX = { standard: 3, long: 8 } as const
