import { type FormEvent, useEffect, useRef, useState } from 'react'
import { errorText, RequestId } from '../../frame/problems.tsx'
import { durationText } from '../../parts/clock.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Money } from '../../parts/money.tsx'
import { Status } from '../../parts/status.tsx'
import type { Chat, Turn } from './use-chat.ts'

export const Turns = ({ turns }: { turns: Turn[] }) => (
  <div className="turns">
    {turns.length === 0 && (
      <p className="muted turns-none">Write a message below. The answer appears as it is written.</p>
    )}
    {turns.map(turn => (
      <Message key={turn.id} of={turn} />
    ))}
    {/* A stream is announced when it ends. */}
    <p className="vh" role="status">
      {turns.at(-1)?.role === 'assistant' && turns.at(-1)?.state === 'done' ? `Answer: ${turns.at(-1)?.text}` : ''}
    </p>
  </div>
)

const Message = ({ of }: { of: Turn }) => (
  <article className={of.role === 'assistant' ? 'msg out' : 'msg'}>
    <span className="role">
      {of.role === 'user' ? 'User' : 'Assistant'}
      {of.state === 'busy' && <Status tone="busy">Answering</Status>}
      {of.state === 'stopped' && <Status tone="off">Stopped</Status>}
    </span>
    {of.text && (
      <p>
        {of.text}
        {of.state === 'busy' && <span className="caret" />}
      </p>
    )}
    {of.state === 'failed' && (
      <div className="callout" data-tone="danger" role="alert">
        <Icon name="alert" />
        <div>
          {errorText(of.error)}
          <RequestId error={of.error} />
        </div>
      </div>
    )}
  </article>
)

export function Composer({ chat, isReady }: { chat: Chat; isReady: boolean }) {
  const [text, setText] = useState('')
  const end = useRef<HTMLDivElement>(null)
  const last = chat.turns.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is written stays in view
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' })
  }, [last?.text.length, chat.turns.length])
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (chat.isBusy || !isReady || text.trim() === '') return
    void chat.send(text.trim())
    setText('')
  }
  return (
    <div className="pfoot" ref={end}>
      <Stats of={chat.turns.findLast(({ figures }) => figures)} />
      <form className="prompt" onSubmit={submit}>
        <textarea
          className="input"
          rows={2}
          aria-label="Message"
          placeholder="Write a message"
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
          }}
        />
        {chat.isBusy ? (
          <button type="button" className="btn s" onClick={chat.stop}>
            <Icon name="stop" />
            Stop
          </button>
        ) : (
          <button type="submit" className="btn s" data-kind="primary" disabled={!isReady || text.trim() === ''}>
            <Icon name="send" />
            Send
          </button>
        )}
      </form>
    </div>
  )
}

/** Of the last answer. */
function Stats({ of }: { of: Turn | undefined }) {
  const { firstMs, totalMs = 0, usage, request } = of?.figures ?? {}
  if (!of?.figures) return null
  const input = request?.inputTokens ?? usage?.prompt_tokens
  const output = request?.outputTokens ?? usage?.completion_tokens
  const writingMs = totalMs - (firstMs ?? 0)
  const speed = request?.tokensPerSecond ?? (output && writingMs > 0 ? (1_000 * output) / writingMs : undefined)
  return (
    <dl className="pstats num">
      <div>
        <dt>First token</dt>
        <dd>{firstMs === undefined ? '—' : durationText(firstMs)}</dd>
      </div>
      <div>
        <dt>Speed</dt>
        <dd>{speed === undefined ? '—' : `${Math.round(speed)} tokens/s`}</dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{input === undefined ? '—' : `${input.toLocaleString()} → ${(output ?? 0).toLocaleString()}`}</dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd>{request?.cost === undefined ? '—' : <Money cents={request.cost} />}</dd>
      </div>
    </dl>
  )
}
