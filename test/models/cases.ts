// The questions of all client tests, and the model's answers.
import type { ToolCall } from './model.ts'

/** Of two and three bytes, a surrogate pair, and what JSON and event streams escape. */
export const TEXT = 'Grüße aus Zürich: 你好 🙂 "quoted" \\ line\nbreak\r\n\n data: [DONE] end.'

export const CALLS: ToolCall[] = [
  { id: 'call_rome1', name: 'get_weather', input: { city: 'Rome', days: 2 } },
  { id: 'call_oslo2', name: 'get_weather', input: { city: 'Oslo "north"', days: 1 } },
]
/** The results of the two calls. */
export const RESULTS: Record<string, string> = { call_rome1: 'sunny, 21 °C', call_oslo2: '{"sky":"grey","c":4}' }
export const INPUTS = CALLS.map(({ input }) => input)

export const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city', 'days'],
    additionalProperties: false,
  },
}

/** What a structured answer has. */
export const PLACE = { name: 'Zürich', population: 436_332, tags: ['lake', 'old town'] }
export const PLACE_TEXT = JSON.stringify(PLACE)

/** One red point. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
export const PNG_URL = `data:image/png;base64,${PNG}`

/** The schema for `PLACE`, with the library that the clients know. */
// biome-ignore lint/suspicious/noExplicitAny: the package is not a dependency, so there are no types of it here
export const placeSchema = ({ z }: any) =>
  z.object({ name: z.string(), population: z.number().int(), tags: z.array(z.string()) })

/** The image, as the provider of the model got it. */
// biome-ignore lint/suspicious/noExplicitAny: a body of either wire
export function imageIn(body: any): string {
  const parts = body.messages.at(-1).content as {
    type: string
    image_url?: { url: string }
    source?: { data: string }
  }[]
  const found = parts.find(({ type }) => type === 'image_url' || type === 'image')
  return found?.image_url?.url ?? `data:image/png;base64,${found?.source?.data}`
}

/** The results of tools in the last turns of a body, by the id of the call. */
// biome-ignore lint/suspicious/noExplicitAny: a body of either wire
export function resultsIn(body: any): Record<string, unknown> {
  const results: Record<string, unknown> = {}
  for (const { role, content, tool_call_id: id } of body.messages) {
    if (role === 'tool') results[id] = textIn(content)
    else if (Array.isArray(content)) {
      for (const block of content) if (block.type === 'tool_result') results[block.tool_use_id] = textIn(block.content)
    }
  }
  return results
}

const textIn = (content: string | { text: string }[]) =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('')

/** The schema that the provider of the model was asked to answer in. */
// biome-ignore lint/suspicious/noExplicitAny: a body of either wire
export const formatIn = (body: any) => body.response_format?.json_schema.schema ?? body.output_config?.format.schema
