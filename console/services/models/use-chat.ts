// A conversation with a model. Its answers are streamed; each is one call with everything said before.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ChatMessage, ChatUsage, ModelRequest } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { balance } from '../../parts/money.tsx'

export type Turn = {
  id: string
  role: 'user' | 'assistant'
  text: string
  state: 'done' | 'busy' | 'stopped' | 'failed'
  error?: unknown
  figures?: Figures
}
export type Figures = { firstMs?: number; totalMs: number; usage?: ChatUsage; request?: ModelRequest | undefined }
type Settings = { model: string; system: string; temperature?: number; max_completion_tokens?: number }
export type Chat = ReturnType<typeof useChat>

/** The host writes its log in batches. */
const COST_WAITS_MS = [200, 500, 1_000, 2_000]

export function useChat({ model, system, ...more }: Settings) {
  const [turns, setTurns] = useState<Turn[]>([])
  const running = useRef<AbortController | null>(null)
  const queryClient = useQueryClient()
  useEffect(() => () => running.current?.abort(), [])
  const isBusy = turns.at(-1)?.state === 'busy'

  async function send(text: string): Promise<void> {
    const stop = new AbortController()
    running.current = stop
    const [question, answer] = [turnOf('user', text, 'done'), turnOf('assistant', '', 'busy')]
    const said = [...turns, question]
    setTurns([...turns, question, answer])
    const change = (patch: Partial<Turn>) =>
      setTurns(now => now.map(one => (one.id === answer.id ? { ...one, ...patch } : one)))
    const startedAt = performance.now()
    const before = await newestRequests()
    const figures: Figures = { totalMs: 0 }
    let written = ''
    try {
      const parts = stoa.createChatCompletion(
        {
          ...more,
          model,
          messages: messagesOf(system, said),
          stream: true,
          stream_options: { include_usage: true },
        },
        { signal: stop.signal },
      )
      for await (const { choices, usage } of parts) {
        const piece = choices[0]?.delta.content ?? ''
        if (piece) figures.firstMs ??= performance.now() - startedAt
        if (usage) figures.usage = usage
        written += piece
        if (piece) change({ text: written })
      }
      change({ state: 'done' })
    } catch (error) {
      change(stop.signal.aborted ? { state: 'stopped' } : { state: 'failed', error })
    }
    figures.totalMs = performance.now() - startedAt
    change({ figures: { ...figures } })
    running.current = null
    figures.request = await requestAfter(before, model)
    change({ figures: { ...figures } })
    for (const queryKey of [['model-requests'], ['usage'], balance.queryKey]) {
      void queryClient.invalidateQueries({ queryKey })
    }
  }

  return { turns, isBusy, send, stop: () => running.current?.abort(), clear: () => setTurns([]) }
}

/** Answers that failed before their first word are left out. */
export const messagesOf = (system: string, turns: Pick<Turn, 'role' | 'text'>[]): ChatMessage[] => [
  ...(system.trim() ? [{ role: 'system' as const, content: system }] : []),
  ...turns.flatMap(({ role, text }) => (text === '' ? [] : [{ role, content: text }])),
]

const turnOf = (role: Turn['role'], text: string, state: Turn['state']): Turn => ({
  id: crypto.randomUUID(),
  role,
  text,
  state,
})

async function newestRequests(): Promise<ModelRequest[]> {
  try {
    return (await stoa.listModelRequests({ limit: 20 })).data
  } catch {
    return [] // The cost is missing then; the call is what matters.
  }
}

/** What the log says of the call: a stream does not tell its id. Calls of people have no key. */
async function requestAfter(before: ModelRequest[], model: string): Promise<ModelRequest | undefined> {
  const known = new Set(before.map(({ id }) => id))
  for (const ms of COST_WAITS_MS) {
    await new Promise(resolve => setTimeout(resolve, ms))
    const found = (await newestRequests()).find(one => !known.has(one.id) && one.model === model && !one.key)
    if (found) return found
  }
  return undefined
}
