// Several messages in one body, which only earlier revisions have. They are answered one after the other, within bounds.
import { clientNetwork } from '../../fair/address.ts'
import { Fault } from '../../kit/fault.ts'
import { presentedBy } from '../../kit/host/credentials.ts'
import type { Calls, RequestFacts } from '../../kit/operation.ts'
import { errorText, INVALID_REQUEST, idIn, RpcError } from './messages.ts'
import type { Door } from './state.ts'
import type { View } from './views.ts'

/** One HTTP request. `challenge` is set when a call in it needs another credential. */
export type Exchange = { calls: Calls; request: RequestFacts; view: View; door: Door; challenge: string | null }
export type Answer = { status: number; text: string | null }

/** Messages in one body. Each may be a call, which is answered before the next begins. */
const BATCH_MAX = 20
/** When the answers of a batch are longer, the rest of its messages is not carried out. */
const BATCH_CHARS_MAX = 1024 * 1024
/** The same without a credential: enough for a handshake and one list of tools, which is longer. The answer to twenty lists
 *  would be a thousand times as long as the request. */
const STRANGER_BATCH_CHARS_MAX = 16 * 1024
/** Batches without a credential from one address. A client needs one to connect; so many cause about 0.1 MB of answers per
 *  second. */
const STRANGER_BATCHES_PER_MINUTE = 60

export async function answerBatch(
  exchange: Exchange,
  bodies: readonly unknown[],
  answerOne: (body: unknown) => Promise<Answer>,
): Promise<Answer> {
  if (bodies.length === 0 || bodies.length > BATCH_MAX) {
    const error = new RpcError(INVALID_REQUEST, `A batch has 1 to ${BATCH_MAX} messages.`)
    return { status: 400, text: errorText(null, error) }
  }
  const isFromStranger = await isStranger(exchange)
  if (isFromStranger) countStranger(exchange)
  const charsMax = isFromStranger ? STRANGER_BATCH_CHARS_MAX : BATCH_CHARS_MAX
  const texts: string[] = []
  let length = 0
  for (const body of bodies) {
    if (exchange.request.signal.aborted) break // The client has disconnected.
    const { text } = length > charsMax ? tooLong(body, isFromStranger) : await answerOne(body)
    if (text === null) continue
    texts.push(texts.length === 0 ? '[' : ',', text)
    length += text.length
  }
  if (texts.length === 0) return { status: 202, text: null }
  texts.push(']')
  return { status: 200, text: texts.join('') } // Once: a list of tools is long, and is copied with each step.
}

const ANY_READER = { access: 'reader', withoutCredential: null } as const

/** Whether no credential of an organisation was sent. A publishable key does not count, because it is public. */
async function isStranger({ calls, request }: Exchange): Promise<boolean> {
  const presented = presentedBy(request)(true)
  if (presented.authorization === undefined && presented.cookie === undefined) return true
  try {
    await calls.identify(ANY_READER, presented)
    return false
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return error.status < 500 // While credentials cannot be checked, senders are not treated as strangers.
  }
}

function countStranger({ door: { strangers }, request }: Exchange): void {
  const client = clientNetwork(request.ip)
  const waitMs = strangers.waitMs(client, STRANGER_BATCHES_PER_MINUTE)
  if (waitMs > 0) {
    throw new Fault('too_many_tries', {
      message: 'Too many batches without a credential were sent from this address. Send messages alone, or with a key.',
      retryAfterS: Math.ceil(waitMs / 1000),
    })
  }
  strangers.count(client)
}

function tooLong(body: unknown, isFromStranger: boolean): Answer {
  const advice = isFromStranger ? 'Send this message again, alone or with a key.' : 'Send this message again, alone.'
  const error = new RpcError(INVALID_REQUEST, `The answers to this batch are too long. ${advice}`)
  return { status: 200, text: idIn(body) === null ? null : errorText(idIn(body), error) }
}
