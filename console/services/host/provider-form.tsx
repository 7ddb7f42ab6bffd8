// Adds or changes a provider. Its models stand below the fields of the provider itself.
import { useState } from 'react'
import type { AddProviderInput, Provider, UpdateProviderInput } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import type { Control, FormField } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { draftOf, modelOf } from './drafts.ts'
import { secretControl } from './org-create.tsx'
import { ModelRows } from './provider-models.tsx'

export const KINDS: Record<Provider['kind'], string> = {
  compatible: 'Any server with the OpenAI format',
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  mistral: 'Mistral',
  groq: 'Groq',
  together: 'Together',
  openrouter: 'OpenRouter',
  azure: 'Azure OpenAI',
  bedrock: 'Amazon Bedrock',
  ollama: 'Ollama',
  vllm: 'vLLM',
  llamacpp: 'llama.cpp',
}

const ADDRESS: FormField = {
  path: 'baseUrl',
  label: 'Address',
  help: 'Without the path of a call, for example https://models.example.com/v1',
}
const ADD: FormField[] = [
  { path: 'name', label: 'Name', help: 'Clients can choose it as name/model. It cannot be changed.' },
  { path: 'kind', label: 'Provider', help: 'It decides the format of its API: OpenAI or Anthropic.', choices: KINDS },
  ADDRESS,
  { path: 'apiKey', label: 'API key', help: 'Stored encrypted, and never shown again', control: secretControl },
]

/** Null removes the key; empty keeps it. */
const keyControl: Control = props =>
  props.value === null ? (
    <span className="line">
      <span className="grow">The key is removed.</span>
      <button type="button" className="btn s" id={props.id} onClick={() => props.set('')}>
        Keep it
      </button>
    </span>
  ) : (
    <span className="line">
      <span className="grow">{secretControl(props)}</span>
      <button type="button" className="btn" onClick={() => props.set(null)}>
        Remove key
      </button>
    </span>
  )

const fieldsFor = (of: Provider | undefined): FormField[] => {
  if (!of) return ADD
  const { hasApiKey } = of
  const help = hasApiKey ? 'Leave it empty to keep the present one.' : 'Stored encrypted, and never shown again'
  return [ADDRESS, { path: 'apiKey', label: 'API key', help, control: hasApiKey ? keyControl : secretControl }]
}

type Given = Omit<AddProviderInput, 'models'> | Omit<UpdateProviderInput, 'models' | 'name'>

export function ProviderForm({ of, onClose }: { of?: Provider; onClose: () => void }) {
  const [drafts, setDrafts] = useState(() => (of ? of.models.map(draftOf) : [draftOf(null)]))
  const save = useChange({
    run: (given: Given) => {
      const models = drafts.map(modelOf)
      return of
        ? stoa.updateProvider({ ...given, name: of.name, models })
        : stoa.addProvider({ ...(given as AddProviderInput), models })
    },
    changes: [['providers'], ['models']],
    done: ({ name }) => (of ? `Provider ${name} saved` : `Provider ${name} added`),
    onDone: onClose,
    showsErrors: true,
  })
  const action = of ? 'Save provider' : 'Add provider'
  return (
    <FormDrawer
      title={of ? `Edit ${of.name}` : 'Add a provider'}
      action={action}
      operation={of ? 'updateProvider' : 'addProvider'}
      fields={fieldsFor(of)}
      initial={of ? { baseUrl: of.baseUrl } : { kind: 'compatible' }}
      change={save}
      onClose={onClose}
    >
      <ModelRows form="provider" drafts={drafts} error={save.error} onChange={setDrafts} />
    </FormDrawer>
  )
}
