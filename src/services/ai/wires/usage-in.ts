// Reads what an upstream reports that a call used. Upstreams differ, and none of them is trusted: a count that is not a
// whole number within bounds is treated as absent.
import { NO_USAGE, type Usage } from './usage.ts'

/** No model reads or writes as many tokens in one call. */
const COUNT_MAX = 100_000_000
/** Of input, read from the cache, written to it, and output. */
const USAGE_MAX = 4 * COUNT_MAX

type Fields = Record<string, unknown>

/** An answer of the chat wire, or a chunk of its stream. */
export function usageOfChat(json: unknown): Usage | null {
  // Groq has it there in streams, whether it was requested or not.
  const usage = objectIn(json, 'usage') ?? objectIn(objectIn(json, 'x_groq'), 'usage')
  if (!usage) return null
  const total = countIn(usage, 'total_tokens')
  const prompt = countIn(usage, 'prompt_tokens')
  const completion = countIn(usage, 'completion_tokens')
  if ((prompt === null && completion === null) || isBroken(usage, 'prompt_tokens', 'completion_tokens')) return null
  const known = total === null ? 0 : Math.max(0, total - (prompt ?? 0) - (completion ?? 0))
  const input = prompt ?? known
  const produced = completion ?? known
  const rest = prompt === null || completion === null ? 0 : known
  const reported = countIn(objectIn(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? 0
  return {
    ...NO_USAGE,
    input,
    ...outputOf(produced, reported, rest),
    ...cacheOf(input, usage, objectIn(usage, 'prompt_tokens_details')),
    images: imagesInChoices(json),
  }
}

/** Whether one of these is there and no count: then the others are not believed either. */
const isBroken = (usage: Fields | null, ...names: string[]): boolean =>
  names.some(name => (usage?.[name] ?? null) !== null && countIn(usage, name) === null)

export function usageOfEmbeddings(json: unknown): Usage | null {
  const usage = objectIn(json, 'usage')
  const input = countIn(usage, 'prompt_tokens') ?? countIn(usage, 'total_tokens')
  return input === null ? null : { ...NO_USAGE, input }
}

/** An answer of the responses wire, or an event of its stream that has one. */
export function usageOfResponses(json: unknown): Usage | null {
  const response = objectIn(json, 'response') ?? json
  const usage = objectIn(response, 'usage')
  const input = countIn(usage, 'input_tokens')
  const output = countIn(usage, 'output_tokens')
  if (!usage || (input === null && output === null) || isBroken(usage, 'input_tokens', 'output_tokens')) return null
  const reported = countIn(objectIn(usage, 'output_tokens_details'), 'reasoning_tokens') ?? 0
  const total = countIn(usage, 'total_tokens') ?? 0
  return {
    ...NO_USAGE,
    input: input ?? 0,
    ...outputOf(output ?? 0, reported, Math.max(0, total - (input ?? 0) - (output ?? 0))),
    ...cacheOf(input ?? 0, usage, objectIn(usage, 'input_tokens_details')),
    images: listIn(response, 'output').filter(isGeneratedImage).length,
  }
}

/** An answer of the messages wire, or an event of its stream: `message_start` has the input, `message_delta` the output
 *  so far and perhaps the input again. `laterUsage` joins them. */
export function usageOfMessages(json: unknown): Usage | null {
  const usage = objectIn(json, 'usage') ?? objectIn(objectIn(json, 'message'), 'usage')
  const [fresh, output] = [countIn(usage, 'input_tokens'), countIn(usage, 'output_tokens')]
  if ((fresh === null && output === null) || isBroken(usage, 'input_tokens', 'output_tokens')) return null
  // A compaction is an iteration that the totals leave out; those of the type `message` are what they sum up.
  const [inTotals, apart]: [Usage[], Usage[]] = [[ofMessage(usage)], []]
  for (const one of listIn(usage, 'iterations')) {
    if (isFields(one) && typeof one.type === 'string') (one.type === 'message' ? inTotals : apart).push(ofMessage(one))
  }
  const [totals = NO_USAGE, ...parts] = inTotals
  const all = sumOf([joined([totals, sumOf(parts)], larger), ...apart])
  return all.input + all.output <= USAGE_MAX ? all : totals
}

function ofMessage(usage: Fields | null): Usage {
  const cachedInput = countIn(usage, 'cache_read_input_tokens') ?? 0
  const created = objectIn(usage, 'cache_creation')
  const cacheWriteHour = countIn(created, 'ephemeral_1h_input_tokens') ?? 0
  const cacheWrite = Math.max(
    countIn(usage, 'cache_creation_input_tokens') ?? 0,
    (countIn(created, 'ephemeral_5m_input_tokens') ?? 0) + cacheWriteHour,
  )
  // This wire counts the tokens of the cache apart from `input_tokens`.
  const input = (countIn(usage, 'input_tokens') ?? 0) + cachedInput + cacheWrite
  return { ...NO_USAGE, input, output: countIn(usage, 'output_tokens') ?? 0, cachedInput, cacheWrite, cacheWriteHour }
}

const FIELDS = Object.keys(NO_USAGE) as (keyof Usage)[]

/** Each field of one from the same fields of some. */
const joined = (all: readonly Usage[], join: (counts: number[]) => number): Usage =>
  Object.fromEntries(FIELDS.map(field => [field, join(all.map(one => one[field]))])) as Usage

const larger = (counts: number[]): number => Math.max(...counts)
const sumOf = (all: readonly Usage[]): Usage => joined(all, counts => counts.reduce((sum, count) => sum + count, 0))

/** The usage after another report of the same stream. Reports are totals so far, so the larger ones count. */
export function laterUsage(before: Usage | null, next: Usage | null): Usage | null {
  if (!before || !next) return before ?? next
  return joined([before, next], larger)
}

/** OpenAI counts reasoning as output. xAI and Gemini leave it out, and only the total tells: `rest` is the part of the
 *  total that is neither input nor output. */
function outputOf(produced: number, reported: number, rest: number): Pick<Usage, 'output' | 'reasoning'> {
  const isApart = rest > 0 && (reported === 0 || reported === rest)
  if (isApart) return { output: produced + rest, reasoning: rest }
  // More reasoning than output cannot be a part of it.
  return { output: reported > produced ? produced + reported : produced, reasoning: reported }
}

/** Both are parts of the input. */
function cacheOf(input: number, usage: Fields, details: Fields | null): Pick<Usage, 'cachedInput' | 'cacheWrite'> {
  const read =
    countIn(details, 'cached_tokens') ??
    countIn(usage, 'cached_tokens') ?? // Moonshot.
    countIn(usage, 'prompt_cache_hit_tokens') ?? // DeepSeek.
    countIn(usage, 'cache_read_input_tokens') ?? // Gateways in front of Anthropic.
    0
  const written =
    countIn(details, 'cache_write_tokens') ?? // OpenAI, OpenRouter, Bedrock.
    countIn(details, 'cache_creation_tokens') ??
    countIn(usage, 'cache_creation_input_tokens') ??
    0
  const cachedInput = Math.min(read, input)
  return { cachedInput, cacheWrite: Math.min(written, input - cachedInput) }
}

/** OpenRouter has them beside the text of a message. */
function imagesInChoices(json: unknown): number {
  const ofChoice = (choice: unknown) =>
    listIn(objectIn(choice, 'message') ?? objectIn(choice, 'delta'), 'images').length
  return listIn(json, 'choices').reduce<number>((sum, choice) => sum + ofChoice(choice), 0)
}

const isGeneratedImage = (item: unknown) =>
  isFields(item) && item.type === 'image_generation_call' && item.status === 'completed'

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectIn(value: unknown, name: string): Fields | null {
  const inner = isFields(value) ? value[name] : null
  return isFields(inner) ? inner : null
}

function listIn(value: unknown, name: string): unknown[] {
  const inner = isFields(value) ? value[name] : null
  return Array.isArray(inner) ? inner : []
}

function countIn(value: Fields | null, name: string): number | null {
  const count = value?.[name]
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= COUNT_MAX ? count : null
}
