// Notes the ids of responses that a provider keeps, before the client learns them: with one, the organisation may go on
// from the response, and no other may.
import type { HttpBody } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { AiState } from '../state.ts'
import type { JsonObject } from '../translations/translation.ts'
import type { Answered } from './attempts.ts'
import { ID_LENGTH_MAX } from './references.ts'
import { eventsIn, openEvents } from './server-events.ts'
import { jsonIn } from './texts.ts'

/** The id is in the first event. Of a stream that has none in its first ones, none is known here. */
const EVENTS_MAX = 32

type Note = (id: string) => Promise<void>

/** A translated answer is kept by nobody, and neither is one that the client did not want to be stored. */
export async function noteIssued(
  state: Pick<AiState, 'recordResponse'>,
  org: OrgId,
  request: JsonObject,
  answered: Answered,
): Promise<Answered> {
  const { route, whole, response } = answered
  if (route.wire !== 'responses' || route.translation || request.store === false) return answered
  const note: Note = id => state.recordResponse(org, id)
  if (whole === null) return { ...answered, response: { ...response, body: noting(response.body, note) } }
  const id = idIn(whole.json)
  if (id !== null) await note(id)
  return answered
}

function idIn(response: unknown): string | null {
  const { id } = (response ?? {}) as { id?: unknown }
  return typeof id === 'string' && id.length <= ID_LENGTH_MAX && !id.includes('\0') && id.isWellFormed() ? id : null
}

/** The same chunks. The one with which the first event is whole waits until the id in it is noted; the client gets whole
 *  events only, so that it cannot have the id before. */
function noting(body: HttpBody, note: Note): HttpBody {
  const chunks = body[Symbol.asyncIterator]()
  const events = openEvents()
  let left = EVENTS_MAX
  const noted: AsyncIterator<Buffer> = {
    next: async () => {
      const result = await chunks.next()
      const bytes = result.done ? events.rest() : events.add(result.value)
      const found = bytes === null ? [] : eventsIn(bytes)
      const id = found.map(({ data }) => idIn((jsonIn(data) as { response?: unknown } | null)?.response)).find(Boolean)
      left -= found.length
      // From here on the chunks pass without another promise each.
      if (id || left <= 0 || result.done) noted.next = () => chunks.next()
      if (id) await note(id)
      return result
    },
  }
  return { [Symbol.asyncIterator]: () => noted, destroy: () => body.destroy() }
}
