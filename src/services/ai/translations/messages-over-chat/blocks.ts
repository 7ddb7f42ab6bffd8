// The content blocks of a stream on the messages wire. One block is open at a time, while chat servers may send the
// arguments of several calls in turns: what belongs to a later block is held until the open one is complete.

import type { JsonObject } from '../translation.ts'
import { malformedUpstream } from '../wire-fields.ts'
import { createObjectEnd, type ObjectEnd } from './object-end.ts'

type Block = {
  kind: 'thinking' | 'text' | 'tool'
  id: string
  name: string
  /** Null for a text, which is complete when another block begins. */
  end: ObjectEnd | null
  held: string[]
  closed: boolean
}

/** `name` is set in the first delta of a call. `newId` gives the id of a call whose upstream gave none. */
export type CallDelta = {
  index: number
  id: string | undefined
  newId: (position: number) => string
  name: string | undefined
  text: string
}

export type StreamBlocks = {
  write(kind: 'thinking' | 'text', text: string): JsonObject[]
  call(delta: CallDelta): JsonObject[]
  end(): JsonObject[]
  /** Whether a tool was called. */
  called(): boolean
}

/** More than any model answers with; bounds the memory of a stream. */
const HELD_CHARS_MAX = 4 * 1024 * 1024
/** Bound the memory of a stream. A model makes a few calls in an answer, rarely tens. */
const CALLS_MAX = 1024
const WAITING_BLOCKS_MAX = 1024

export function createBlocks(): StreamBlocks {
  /** The first is open. */
  const queue: Block[] = []
  /** By the upstream's index, which may have gaps. */
  const calls = new Map<number, Block>()
  let position = 0
  let callCount = 0
  let heldChars = 0

  function add(block: Block): JsonObject[] {
    if (queue.length > WAITING_BLOCKS_MAX)
      throw malformedUpstream('delta', 'has too many blocks behind an unfinished call')
    queue.push(block)
    return queue.length === 1 ? [start(block, position)] : advance()
  }

  function append(block: Block, text: string): JsonObject[] {
    if (text === '') return []
    block.end?.read(text)
    if (block === queue[0]) return [contentDelta(block, position, text), ...advance()]
    if (block.closed) {
      if (text.trim() !== '') throw malformedUpstream('delta.tool_calls', 'has arguments after the end of the call')
      return []
    }
    heldChars += text.length
    if (heldChars > HELD_CHARS_MAX) throw malformedUpstream('delta.tool_calls', 'has too many unfinished calls')
    block.held.push(text)
    return []
  }

  /** Closes blocks that are complete, as long as another waits. */
  function advance(all = false): JsonObject[] {
    const events: JsonObject[] = []
    while (queue.length > (all ? 0 : 1)) {
      const open = queue[0] as Block
      if (!all && open.end && !open.end.complete()) break
      events.push({ type: 'content_block_stop', index: position })
      open.closed = true
      queue.shift()
      position++
      const next = queue[0]
      if (!next) break
      events.push(start(next, position))
      const text = next.held.join('')
      next.held = []
      heldChars -= text.length
      if (text !== '') events.push(contentDelta(next, position, text))
    }
    return events
  }

  /** A name with another id is another call: some servers give all calls the index 0. */
  function blockOf({ index, id, newId, name }: CallDelta): { block: Block; events: JsonObject[] } {
    const known = calls.get(index)
    if (known && !(name && id && id !== known.id)) return { block: known, events: [] }
    if (!name) throw malformedUpstream('delta.tool_calls', 'has a call without a name')
    if (callCount === CALLS_MAX) throw malformedUpstream('delta.tool_calls', `has more than ${CALLS_MAX} calls`)
    const block: Block = { kind: 'tool', id: newId(callCount), name, end: createObjectEnd(), held: [], closed: false }
    callCount++
    calls.set(index, block)
    return { block, events: add(block) }
  }

  return {
    write(kind, text) {
      const last = queue.at(-1)
      if (last?.kind === kind) return append(last, text)
      const block: Block = { kind, id: '', name: '', end: null, held: [], closed: false }
      const events = add(block)
      return [...events, ...append(block, text)]
    },
    call(delta) {
      const { block, events } = blockOf(delta)
      return [...events, ...append(block, delta.text)]
    },
    end: () => advance(true),
    called: () => callCount > 0,
  }
}

function start(block: Block, index: number): JsonObject {
  return { type: 'content_block_start', index, content_block: emptyBlock(block) }
}

function emptyBlock({ kind, id, name }: Block): JsonObject {
  if (kind === 'text') return { type: 'text', text: '' }
  // A signature shows Anthropic that thinking is its own; this is not.
  if (kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return { type: 'tool_use', id, name, input: {} }
}

function contentDelta({ kind }: Block, index: number, text: string): JsonObject {
  return { type: 'content_block_delta', index, delta: textDelta(kind, text) }
}

function textDelta(kind: Block['kind'], text: string): JsonObject {
  if (kind === 'text') return { type: 'text_delta', text }
  return kind === 'thinking'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'input_json_delta', partial_json: text }
}
