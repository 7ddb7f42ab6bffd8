// The output items of a response while they are created, and the events that report them to the client.
import { malformedAnswer, type Piece } from '../chat-answer.ts'
import type { JsonObject } from '../translation.ts'

export type Emit = (type: string, fields: JsonObject) => void

type Part = Piece & { isOpen: boolean }
type Item = { id: string; index: number; isOpen: boolean; status: 'in_progress' | 'completed' | 'incomplete' }
type MessageItem = Item & { type: 'message'; parts: Part[] }
type ReasoningItem = Item & { type: 'reasoning'; parts: Part[] }
export type CallItem = Item & { type: 'function_call'; callId: string; name: string; arguments: string }
type OutputItem = MessageItem | ReasoningItem | CallItem

/** The names of a part's type, of its events, and of the field with its text. */
const PART_NAMES = {
  reasoning: { type: 'reasoning_text', event: 'response.reasoning_text', field: 'text' },
  text: { type: 'output_text', event: 'response.output_text', field: 'text' },
  refusal: { type: 'refusal', event: 'response.refusal', field: 'refusal' },
} as const

const ID_PREFIXES = { message: 'msg', reasoning: 'rs', function_call: 'fc' }

export class ResponseOutput {
  readonly #items: OutputItem[] = []
  readonly #idSuffix: string
  readonly #emit: Emit

  constructor(idSuffix: string, emit: Emit) {
    this.#idSuffix = idSuffix
    this.#emit = emit
  }

  /** Text continues the last item if that is of its type; otherwise it starts another. */
  add(piece: Piece): void {
    const type = piece.kind === 'reasoning' ? 'reasoning' : 'message'
    const last = this.#items.at(-1)
    const item = last?.isOpen && last.type === type ? (last as MessageItem) : this.#open({ type, parts: [] })
    const part = this.#partFor(item as MessageItem, piece.kind)
    part.text += piece.text
    const logprobs = piece.kind === 'text' ? piece.logprobs : []
    if (part.kind === 'text') for (const logprob of logprobs) part.logprobs.push(logprob)
    this.#emit(`${PART_NAMES[piece.kind].event}.delta`, {
      ...placeOf(item),
      content_index: (item as MessageItem).parts.length - 1,
      delta: piece.text,
      ...(piece.kind === 'text' ? { logprobs } : {}),
    })
  }

  openCall(callId: string, name: string): CallItem {
    return this.#open({ type: 'function_call', callId, name, arguments: '' }) as CallItem
  }

  addArguments(call: CallItem, delta: string): void {
    if (delta === '') return
    if (!call.isOpen) {
      // The call was closed because its arguments were complete.
      if (delta.trim() !== '') throw malformedAnswer('a tool call goes on after its arguments were complete')
      return
    }
    call.arguments += delta
    this.#emit('response.function_call_arguments.delta', { ...placeOf(call), delta })
  }

  close(isComplete: boolean): void {
    for (const item of this.#items) if (item.isOpen) this.#close(item, isComplete)
  }

  /** For a response that failed: clients get no more events of its items. */
  abandon(): void {
    for (const item of this.#items) if (item.isOpen) item.status = 'incomplete'
  }

  toJson(): JsonObject[] {
    return this.#items.map(item => itemJson(item))
  }

  #open(fields: Pick<MessageItem | ReasoningItem, 'type' | 'parts'> | Omit<CallItem, keyof Item>): OutputItem {
    const last = this.#items.at(-1)
    // Deltas of several calls may alternate, so a call stays open until its arguments are complete or the stream ends.
    if (last?.isOpen && (last.type !== 'function_call' || isWhole(last.arguments))) this.#close(last, true)
    const index = this.#items.length
    const id = `${ID_PREFIXES[fields.type]}_${this.#idSuffix}_${index}`
    const item = { ...fields, id, index, isOpen: true, status: 'in_progress' } as OutputItem
    this.#items.push(item)
    this.#emit('response.output_item.added', { output_index: index, item: itemJson(item) })
    return item
  }

  #partFor(item: MessageItem, kind: Piece['kind']): Part {
    const last = item.parts.at(-1)
    if (last?.kind === kind) return last
    if (last) this.#closePart(item, last)
    const part = { kind, text: '', isOpen: true, ...(kind === 'text' ? { logprobs: [] } : {}) } as Part
    item.parts.push(part)
    const place = { ...placeOf(item), content_index: item.parts.length - 1 }
    this.#emit('response.content_part.added', { ...place, part: partJson(part) })
    return part
  }

  #closePart(item: MessageItem | ReasoningItem, part: Part): void {
    part.isOpen = false
    const place = { ...placeOf(item), content_index: item.parts.length - 1 }
    const { event, field } = PART_NAMES[part.kind]
    const logprobs = part.kind === 'text' ? { logprobs: part.logprobs } : {}
    this.#emit(`${event}.done`, { ...place, [field]: part.text, ...logprobs })
    this.#emit('response.content_part.done', { ...place, part: partJson(part) })
  }

  #close(item: OutputItem, isComplete: boolean): void {
    if (item.type === 'function_call') this.#closeArguments(item, isComplete)
    else for (const part of item.parts) if (part.isOpen) this.#closePart(item, part)
    const isDone = isComplete || (item.type === 'function_call' && isWhole(item.arguments))
    item.status = isDone ? 'completed' : 'incomplete'
    item.isOpen = false
    this.#emit('response.output_item.done', { output_index: item.index, item: itemJson(item) })
  }

  /** Clients parse the arguments as JSON, and some providers send none for a function without parameters. The types of
   *  some versions of the official client declare `name`. */
  #closeArguments(call: CallItem, isComplete: boolean): void {
    if (isComplete && call.arguments.trim() === '') this.addArguments(call, '{}')
    this.#emit('response.function_call_arguments.done', {
      ...placeOf(call),
      name: call.name,
      arguments: call.arguments,
    })
  }
}

const placeOf = (item: Item) => ({ item_id: item.id, output_index: item.index })

function itemJson(item: OutputItem): JsonObject {
  const { id, type, status } = item
  switch (item.type) {
    case 'message':
      return { id, type, status, role: 'assistant', content: item.parts.map(partJson) }
    case 'reasoning':
      return { id, type, status, summary: [], content: item.parts.map(partJson) }
    case 'function_call':
      return { id, type, status, call_id: item.callId, name: item.name, arguments: item.arguments }
  }
}

function partJson(part: Part): JsonObject {
  const { type, field } = PART_NAMES[part.kind]
  const rest = part.kind === 'text' ? { annotations: [], logprobs: part.logprobs } : {}
  return { type, [field]: part.text, ...rest }
}

/** Whether arguments are a complete JSON object, so that nothing can follow. Asked at most twice for a call. */
function isWhole(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // It is the answer: the text is not JSON yet.
  }
}
