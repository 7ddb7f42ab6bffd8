import './models.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { Field } from '../../parts/field.tsx'
import { Money } from '../../parts/money.tsx'
import { Composer, Turns } from './chat.tsx'
import { aiSettings, ModelTabs, models, WITHIN } from './queries.tsx'
import { messagesOf, useChat } from './use-chat.ts'

export function Playground() {
  const [name, setName] = useParam('model')
  const [system, setSystem] = useState('')
  const [temperature, setTemperature] = useState('')
  const [most, setMost] = useState('')
  const { data } = useQuery(models)
  const settings = useQuery(aiSettings)
  // On a phone the conversation comes first.
  const [isWide] = useState(() => matchMedia('(min-width: 62rem)').matches)
  const chats = data?.data.filter(({ kind }) => kind === 'chat') ?? []
  const isKnown = (id: string) => chats.some(one => one.id === id)
  const aliases = settings.data?.aliases.filter(({ model }) => isKnown(model)) ?? []
  const model = name || chats[0]?.id || ''
  const price = chats.find(({ id }) => id === (aliases.find(one => one.name === model)?.model ?? model))?.price
  const chat = useChat({
    model,
    system,
    ...(temperature && { temperature: Number(temperature) }),
    ...(most && { max_completion_tokens: Number(most) }),
  })
  useCode('createChatCompletion', 'POST', '/v1/chat/completions', {
    model,
    messages: messagesOf(system, chat.turns.length > 0 ? chat.turns : [{ role: 'user', text: 'Hello' }]),
  })
  return (
    <Sheet title="Playground" within={WITHIN}>
      <div className="play-screen">
        <header className="head">
          <div className="grow">
            <h1>Models</h1>
            <p>Try a model. Calls are charged to the organisation, and the conversation is only in this tab.</p>
          </div>
          {chat.turns.length > 0 && (
            <div className="actions">
              <button type="button" className="btn" disabled={chat.isBusy} onClick={chat.clear}>
                Clear conversation
              </button>
            </div>
          )}
        </header>
        <ModelTabs />
        {data && chats.length === 0 ? (
          <div className="empty">
            <h2>No chat model</h2>
            <p>The operator of this host has added none. The catalogue lists what can be called.</p>
          </div>
        ) : (
          <div className="play">
            <section className="play-settings" aria-label="Settings">
              <Field label="Model">
                {its => (
                  <select {...its} className="input" value={model} onChange={event => setName(event.target.value)}>
                    {model && !isKnown(model) && !aliases.some(one => one.name === model) && <option>{model}</option>}
                    {chats.map(({ id, owned_by }) => (
                      <option key={id} value={id}>{`${id} (${owned_by})`}</option>
                    ))}
                    {aliases.map(alias => (
                      <option key={alias.name} value={alias.name}>{`${alias.name} → ${alias.model}`}</option>
                    ))}
                  </select>
                )}
              </Field>
              {price && (
                <p className="muted play-price">
                  <Money cents={price.input} exact /> in, <Money cents={price.output} exact /> out, a million tokens
                </p>
              )}
              <details className="play-more" open={isWide}>
                <summary>Instructions and limits</summary>
                <Field label="System" optional>
                  {its => (
                    <textarea
                      {...its}
                      className="input"
                      value={system}
                      placeholder="How the model is to answer"
                      onChange={event => setSystem(event.target.value)}
                    />
                  )}
                </Field>
                <div className="play-two">
                  <Field label="Temperature">
                    {its => <NumberInput {...its} max={2} step={0.1} value={temperature} set={setTemperature} />}
                  </Field>
                  <Field label="Max tokens">
                    {its => <NumberInput {...its} min={1} step={1} value={most} set={setMost} />}
                  </Field>
                </div>
              </details>
            </section>
            <div className="play-chat">
              <Turns turns={chat.turns} />
              <Composer chat={chat} isReady={model !== ''} />
            </div>
          </div>
        )}
      </div>
    </Sheet>
  )
}

type NumberProps = React.ComponentProps<'input'> & { value: string; set: (value: string) => void }

const NumberInput = ({ set, ...its }: NumberProps) => (
  <input {...its} type="number" min={its.min ?? 0} className="input" onChange={event => set(event.target.value)} />
)
