// A host that sends deliveries, and an endpoint on this machine that receives them.
import { after } from 'node:test'
import { type Http, HttpFailure } from '../src/engines/engines.ts'
import { openHttp } from '../src/engines/http/http.ts'
import { eventually } from './eventually.ts'
import { CA, startHost, type TestOptions } from './host.ts'
import { type Delivered, startReceiver } from './webhook-receiver.ts'

export type Row = {
  id: string
  delivery: string
  subject: string
  attempt: number
  status: string
  httpStatus?: number
  error?: string
  response?: string
  durationMs: number
  resendOf?: string
  created: string
}

export type WorldOptions = Pick<TestOptions, 'wrapDb' | 'settings'> & {
  /** More certificate authorities that the host trusts. */
  ca?: string
  /** Resolvers of the host. */
  dns?: readonly string[]
  /** Whether the process has no file descriptor for a call to this URL. */
  isShort?: (url: string) => boolean
}

/** Receivers compare the time of a signature with their own clock, so that the host begins with the real time. */
export async function startWebhooks({ ca = '', dns = [], isShort = () => false, ...options }: WorldOptions = {}) {
  const opened = openHttp({ allow: ['127.0.0.1'], ca: CA() + ca, dns })
  const short = new HttpFailure('network', 'the call failed: EMFILE', { code: 'EMFILE' })
  const http: Http = {
    ...opened,
    send: request => (isShort(request.url) ? Promise.reject(short) : opened.send(request)),
  }
  const host = await startHost({ http, runsBackground: true, now: 'real', ...options })
  const receiver = await startReceiver()
  // What waits for the manual clock sees that real time passed, too.
  const ticking = setInterval(() => host.clock.advance(0), 20)
  after(async () => {
    clearInterval(ticking)
    await http.close()
    receiver.close()
  })

  let made = 0
  /** An organisation with an endpoint at a path of its own. */
  async function newEndpoint(body: { url?: string; events?: string[]; retry?: 'long' } = {}) {
    const { org, key } = await host.organisation(`receives-${made++}`)
    const given = { url: `${receiver.url}/${org}`, events: ['shop.>'], ...body }
    const endpoint = (await host.call('POST /v1/webhooks', { as: key, body: given })).body
    const path = `/v1/webhooks/${endpoint.id}`
    return {
      ...{ org, key, endpoint, path },
      received: () => receiver.received.filter(one => one.path === `/${org}`),
      send: (subject = 'shop.order.created', properties: object = { n: 1 }) =>
        host.call('POST /v1/event', { as: key, body: { event: 'order', subject, properties } }),
      rows: async (query = ''): Promise<Row[]> =>
        (await host.call(`GET ${path}/deliveries${query}`, { as: key })).body.data,
      call: (what: string, input: object = {}) => host.call(`POST ${path}${what}`, { as: key, body: input }),
    }
  }

  const answerWith = (status: number, text = '', headers: Record<string, string> = {}) => {
    receiver.state.answer = response => void response.writeHead(status, headers).end(text)
  }
  return { host, receiver, newEndpoint, answerWith }
}

export const arrived = (read: () => Delivered[], count: number) => eventually(read, all => all.length >= count)
export const ended = (read: () => Promise<Row[]>, status: string) =>
  eventually(read, rows => rows[0]?.status === status)
export const secondsIn = ({ headers }: Delivered) =>
  Number(String(headers['x-webhook-signature']).match(/^t=(\d+),/)?.[1])
export const deliveryIn = ({ headers }: Delivered) => headers['x-webhook-delivery']
