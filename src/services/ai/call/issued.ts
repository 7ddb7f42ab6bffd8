// Records the ids of responses that a provider stores, and of their items, before the client receives them. Only this
// organisation may then continue the response or refer to the items.
import type { OrgId } from '../../../kit/caller.ts'
import type { AiState } from '../state.ts'
import type { IssuedResponse } from '../store.ts'
import type { JsonObject } from '../translations/translation.ts'
import type { Usage } from '../wires/usage.ts'
import { isId } from './references.ts'
import type { Route } from './route.ts'
import { eventsIn } from './server-events.ts'
import { jsonIn } from './texts.ts'

/** The id is in the first event. If the first events of a stream have none, its id stays unknown here. */
const EVENTS_MAX = 32
/** The items of a response that are recorded; further ones are not. */
const ITEMS_MAX = 1_000
/** Quotes inside texts are escaped, so that this always matches a whole text. */
const ITEM_DONE = Buffer.from('"response.output_item.done"')

export type Issuing = {
  /** For an answer in one piece. */
  whole(response: object, usage: Usage): Promise<void>
  /** For complete events, which must not be sent before it resolves; null if there is nothing to wait for. */
  events(bytes: Buffer): Promise<void> | null
  /** To be called after the events, before the last one is sent. */
  end(usage: Usage): Promise<void> | null
}

/** Null for a translated answer, which no provider stores, and if the client disabled storing. */
export function openIssuing(
  { recordResponse }: Pick<AiState, 'recordResponse'>,
  org: OrgId,
  request: JsonObject,
  { wire, translation }: Route,
): Issuing | null {
  if (wire !== 'responses' || translation || request.store === false) return null
  const items = new Set<string>()
  let id: string | null = null
  let left = EVENTS_MAX
  const addItem = (item: unknown) => {
    const one = idIn(item)
    if (one !== null && items.size < ITEMS_MAX) items.add(one)
  }
  const note = (tokens: Pick<IssuedResponse, 'inputTokens' | 'outputTokens'>) =>
    id === null ? null : recordResponse(org, { id, ...tokens, items: [...items].filter(one => one !== id) })
  const end = ({ input, output }: Usage) => note({ inputTokens: input, outputTokens: output })

  function events(bytes: Buffer): Promise<void> | null {
    const isFirst = id === null && left > 0
    if (!isFirst && !bytes.includes(ITEM_DONE)) return null
    const found = eventsIn(bytes).map(({ data }) => jsonIn(data) as { response?: unknown; item?: unknown } | null)
    left -= found.length
    for (const json of found) {
      id ??= idIn(json?.response)
      addItem(json?.item)
    }
    return isFirst ? note({ inputTokens: null, outputTokens: null }) : null
  }

  return {
    events,
    end,
    whole: async (response, usage) => {
      id = idIn(response)
      const { output } = response as { output?: unknown }
      if (Array.isArray(output)) output.forEach(addItem)
      await end(usage)
    },
  }
}

function idIn(value: unknown): string | null {
  const { id } = (value ?? {}) as { id?: unknown }
  return isId(id) ? id : null
}
