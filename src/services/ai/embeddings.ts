// POST /v1/embeddings: a provider's model, or the local one.
import { jsonBody, type Reply, repliesIn, reply } from '../../kit/answer.ts'
import { invalidField } from '../../kit/check.ts'
import { callModel } from './call/call.ts'
import { type CallContext, newCall, openOutcome } from './call/outcome.ts'
import { EmbedRefused } from './local-embed/local-embed.ts'
import { base64Of, DIMENSIONS, isDimensions, SHORTER, shortenedVector } from './local-embed/vectors.ts'
import { LOCAL_EMBED } from './models/local-models.ts'
import { aiSettings, modelsFor } from './settings.ts'
import { operation } from './state.ts'
import type { JsonObject } from './translations/translation.ts'
import { bodyFields, CALL_FAULTS, Model, modelCall } from './wire-operations.ts'
import { NO_USAGE } from './wires/usage.ts'

export const createEmbedding = operation({
  ...modelCall,
  route: 'POST /v1/embeddings',
  summary: 'Turns texts into vectors',
  description: `The body and the answer have the embeddings format. The model \`${LOCAL_EMBED.id}\` runs on this machine, needs no provider and costs nothing: English texts of at most 128 tokens, vectors of ${DIMENSIONS} numbers, or of ${SHORTER.join(', ')} with \`dimensions\`, which loses some of their meaning.`,
  input: { model: Model },
  bodyExample: { model: LOCAL_EMBED.id, input: 'a walnut desk' },
  output: repliesIn('application/json'),
  faults: CALL_FAULTS,
  run: async (context, { body, model }) => {
    const fields = bodyFields(body, ['input'])
    const settings = await context.orgSettings.of(aiSettings, context.caller.org)
    if (modelsFor(settings, model)[0] === LOCAL_EMBED.id) return embedHere(context, model, fields)
    return (await callModel(context, 'embeddings', fields, body.bytes)) as Reply
  },
})

const HERE = { model: LOCAL_EMBED.id, offer: LOCAL_EMBED }
const FREE = { most: 0, least: 0, amount: 0, inputTokens: 0, limitWithin: () => null }

/** `model` is the name that the client used. */
async function embedHere(context: CallContext, model: string, fields: JsonObject): Promise<Reply> {
  const { caller, clock, request, state } = context
  const texts = textsIn(fields.input)
  const { dimensions = DIMENSIONS, encoding_format: format = 'float' } = fields
  if (typeof dimensions !== 'number' || !isDimensions(dimensions)) {
    throw invalidField('dimensions', `must be one of ${SHORTER.join(', ')} for this model`)
  }
  if (format !== 'float' && format !== 'base64') throw invalidField('encoding_format', 'must be float or base64')
  const call = newCall(context, { model, wire: 'embeddings', isStreamed: false })
  const outcome = await openOutcome(context, call, HERE, FREE)
  outcome.attempted()
  try {
    const { vectors, tokens } = await state.localEmbed.embed(caller.org, texts, request.signal)
    const usage = { ...NO_USAGE, input: tokens }
    const data = vectors.map((vector, index) => {
      const short = shortenedVector(vector, dimensions)
      return { object: 'embedding', index, embedding: format === 'base64' ? base64Of(short) : Array.from(short) }
    })
    const counted = { prompt_tokens: tokens, total_tokens: tokens }
    const body = { object: 'list', data, model: LOCAL_EMBED.id, usage: counted }
    const used = { route: HERE, usage, isEstimated: false, firstMs: clock.elapsedMs(), error: null }
    const replied = reply(200, { 'content-type': 'application/json' }, jsonBody(body))
    return await outcome.answer(used, replied)
  } catch (error) {
    if (!outcome.isOver()) await outcome.fail(error)
    throw error instanceof EmbedRefused ? invalidField(error.path, error.message) : error
  }
}

function textsIn(input: unknown): string[] {
  const texts = typeof input === 'string' ? [input] : input
  if (Array.isArray(texts) && texts.every(text => typeof text === 'string')) return texts
  throw invalidField('input', 'must be a text or a list of texts for this model, which does not accept tokens')
}
