// Joins the deltas of tool calls. Providers differ: some repeat ids and names, some leave out the ids or the index, some
// give all calls the same index.

import { type CallDelta, callDeltaOf, malformedAnswer } from '../chat-answer.ts'
import type { CallItem, ResponseOutput } from './output.ts'

/** `buffered` are arguments that came before the id and the name. */
type Call = { id: string; name: string; buffered: string; item: CallItem | null }

export class ToolCalls {
  readonly #calls: Call[] = []
  readonly #byIndex = new Map<number, Call>()
  readonly #byId = new Map<string, Call>()
  readonly #callIds = new Set<string>()
  readonly #idSuffix: string
  #idsMade = 0
  readonly #output: ResponseOutput

  constructor(idSuffix: string, output: ResponseOutput) {
    this.#idSuffix = idSuffix
    this.#output = output
  }

  /** `position` takes the place of the index where a call is whole. */
  add(value: unknown, position: number | null): void {
    const delta = callDeltaOf(value)
    const call = this.#callOf(position === null ? delta : { ...delta, index: position })
    if (call.id === '' && delta.id !== '') call.id = delta.id
    if (call.name === '') call.name = delta.name
    else if (delta.name !== '' && delta.name !== call.name) throw malformedAnswer('a tool call changes its name')
    if (call.item) this.#output.addArguments(call.item, delta.arguments)
    else {
      call.buffered += delta.arguments
      if (call.id !== '' && call.name !== '') this.#open(call)
    }
  }

  /** Opens the calls that got no id. Returns what is wrong, if anything is. */
  finish(): string | null {
    for (const call of this.#calls) {
      if (call.item) continue
      if (call.name === '') return 'a tool call has no name'
      this.#open(call)
    }
    return null
  }

  #callOf(delta: CallDelta): Call {
    const known = this.#knownCall(delta)
    // The first delta of a call has a name and a new id. An id alone is not enough: some providers invent one per delta.
    const isOther = known && known.id !== '' && delta.id !== '' && delta.id !== known.id && delta.name !== ''
    if (known && !isOther) return known
    const call: Call = { id: delta.id, name: '', buffered: '', item: null }
    this.#calls.push(call)
    if (delta.index !== null) this.#byIndex.set(delta.index, call)
    if (delta.id !== '') this.#byId.set(delta.id, call)
    return call
  }

  #knownCall({ index, id, name }: CallDelta): Call | undefined {
    if (index !== null) return this.#byIndex.get(index)
    if (id !== '') return this.#byId.get(id) ?? (name === '' ? this.#calls.at(-1) : undefined)
    return this.#calls.at(-1)
  }

  #open(call: Call): void {
    call.item = this.#output.openCall(this.#unusedId(call.id), call.name)
    this.#output.addArguments(call.item, call.buffered)
    call.buffered = ''
  }

  /** Clients match results to calls by these ids, so each is used once. */
  #unusedId(id: string): string {
    let unused = id
    while (unused === '' || this.#callIds.has(unused)) unused = `call_${this.#idSuffix}_${this.#idsMade++}`
    this.#callIds.add(unused)
    return unused
  }
}
