import { service } from '../../kit/service.ts'
import { oneOf, optional, setting } from '../../kit/setting.ts'
import { modelCalls } from './charges.ts'
import * as chat from './chat.ts'
import * as embeddings from './embeddings.ts'
import * as messages from './messages.ts'
import * as models from './models/models.ts'
import { ENVIRONMENT } from './providers/index.ts'
import * as providers from './providers/providers.ts'
import * as requests from './requests.ts'
import * as responses from './responses.ts'
import { lookForServers } from './schedule.ts'
import { aiSettings } from './settings.ts'
import { openAi } from './state.ts'
import * as tables from './tables.ts'

const text = optional((value: string) => value)

export const ai = service({
  name: 'ai',
  what: 'Model calls: chat completions, embeddings and the list of models',
  paths: ['/v1/ai', '/v1/chat', '/v1/embeddings', '/v1/models', '/v1/responses', '/v1/messages'],
  operations: [chat, responses, messages, embeddings, models, providers, requests],
  migrations: new URL('migrations/', import.meta.url),
  tables,
  settings: {
    STOA_AI_LOCAL: setting(
      'Whether to look for Ollama and llama.cpp on this machine (`look`) or not (`off`)',
      'look',
      oneOf(['look', 'off']),
      'Ollama at port 11434, llama.cpp at port 8080',
    ),
    ...Object.fromEntries(ENVIRONMENT.map(({ name, doc, more }) => [name, setting(doc, '', text, more)])),
  },
  orgSettings: aiSettings,
  schedules: [lookForServers],
  charges: [modelCalls],
  open: openAi,
})
