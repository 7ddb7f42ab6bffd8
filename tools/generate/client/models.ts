// The formats of model calls: the fields that every model of a format supports. Other fields are passed to the provider and
// back unchanged, so every type allows further fields; they are described in the format's documentation.

/** In the chat-completions format. */
export type CreateChatCompletionInput = {
  /** The model, which `listModels` lists. */
  model: string
  messages: ChatMessage[]
  tools?: ChatTool[]
  max_completion_tokens?: number
  temperature?: number
  stream?: boolean
  [field: string]: unknown
}

export type ChatMessage = {
  role: 'developer' | 'system' | 'user' | 'assistant' | 'tool'
  /** A text, or parts such as texts and images. */
  content?: string | { type: string; text?: string; [field: string]: unknown }[] | null
  tool_calls?: ChatToolCall[]
  /** For the role `tool`: the call that produced this result. */
  tool_call_id?: string
  [field: string]: unknown
}

export type ChatTool = {
  type: 'function'
  /** `parameters` is a JSON schema. */
  function: { name: string; description?: string; parameters?: object; [field: string]: unknown }
  [field: string]: unknown
}

/** `arguments` is JSON, written by the model: it may be invalid. */
export type ChatToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

export type ChatUsage = {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  [field: string]: unknown
}

export type ChatCompletion = {
  id: string
  model: string
  choices: {
    index: number
    message: { role: 'assistant'; content?: string | null; tool_calls?: ChatToolCall[]; [field: string]: unknown }
    /** Why it ended: `stop`, `length`, `tool_calls`, `content_filter`. */
    finish_reason: string | null
    [field: string]: unknown
  }[]
  usage?: ChatUsage
  [field: string]: unknown
}

/** A part of a chat completion. The last one may have no choices. */
export type ChatCompletionChunk = {
  id: string
  model: string
  choices: {
    index: number
    delta: {
      role?: string
      content?: string | null
      /** Parts of calls; those with the same `index` belong together. */
      tool_calls?: {
        index: number
        id?: string
        type?: 'function'
        function?: { name?: string; arguments?: string }
      }[]
      [field: string]: unknown
    }
    finish_reason?: string | null
    [field: string]: unknown
  }[]
  usage?: ChatUsage | null
  [field: string]: unknown
}

export type CreateEmbeddingInput = {
  /** The model; `local-embed-en` is on every host. */
  model: string
  input: string | string[] | number[] | number[][]
  dimensions?: number
  encoding_format?: 'float' | 'base64'
  [field: string]: unknown
}

export type Embeddings = {
  model: string
  /** In the order of the input. A text if `encoding_format` is `base64`. */
  data: { index: number; embedding: number[]; [field: string]: unknown }[]
  usage: { prompt_tokens: number; total_tokens: number; [field: string]: unknown }
  [field: string]: unknown
}

/** In the responses format. */
export type CreateResponseInput = {
  /** The model, which `listModels` lists. */
  model: string
  /** A text, or items such as messages and results of tools. */
  input: string | { [field: string]: unknown }[]
  instructions?: string
  max_output_tokens?: number
  stream?: boolean
  [field: string]: unknown
}

export type ModelResponse = {
  id: string
  model: string
  /** `completed`, `failed`, `incomplete`, … */
  status: string
  /** Messages, calls of tools, and more, by `type`. The texts of a message are in its `content`. */
  output: {
    type: string
    content?: { type: string; text?: string; [field: string]: unknown }[]
    [field: string]: unknown
  }[]
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number; [field: string]: unknown } | null
  error?: { code: string; message: string } | null
  [field: string]: unknown
}

/** An event of a response. `response.failed` is one, too: its `response.error` says why. */
export type ModelResponseEvent = {
  /** Such as `response.output_text.delta`, which has a `delta`, and `response.completed`, which has the `response`. */
  type: string
  delta?: string
  response?: ModelResponse
  [field: string]: unknown
}

/** In the messages format. */
export type CreateMessageInput = {
  /** The model, which `listModels` lists. */
  model: string
  max_tokens: number
  messages: { role: 'user' | 'assistant'; content: string | MessageContent[]; [field: string]: unknown }[]
  system?: string | MessageContent[]
  stream?: boolean
  [field: string]: unknown
}

/** By `type`: `text`, `image`, `tool_use`, `tool_result`, … */
export type MessageContent = { type: string; text?: string; [field: string]: unknown }

export type ModelMessage = {
  id: string
  model: string
  role: 'assistant'
  content: MessageContent[]
  /** `end_turn`, `max_tokens`, `tool_use`, … */
  stop_reason: string | null
  usage: { input_tokens: number; output_tokens: number; [field: string]: unknown }
  [field: string]: unknown
}

/** An event of a message. */
export type ModelMessageEvent = {
  /** Such as `content_block_delta`, whose `delta` is a part of the text or of the input of a tool. */
  type: string
  index?: number
  delta?: { type?: string; text?: string; partial_json?: string; [field: string]: unknown }
  message?: ModelMessage
  content_block?: MessageContent
  [field: string]: unknown
}
