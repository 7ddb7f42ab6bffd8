// Calls a tool with the credential of the message.

import { invalidField } from '../../kit/check.ts'
import { Fault } from '../../kit/fault.ts'
import type { Presented } from '../../kit/host/credentials.ts'
import type { Calls, Operation, RequestFacts } from '../../kit/operation.ts'
import { CALL, DESCRIBE, FIND, foundLimit } from './finding.ts'
import { INVALID_PARAMS, isJsonObject, RpcError } from './messages.ts'
import { answerResult, type CallResult, faultResult } from './results.ts'
import type { OperationTool } from './tools.ts'
import type { View } from './views.ts'

type Calling = { calls: Calls; request: RequestFacts; view: View; presented: (isSafe: boolean) => Presented }

/** Faults become results, so that the model can read them; an invalid tool call is a protocol error. */
export async function call(calling: Calling, name: unknown, given: unknown): Promise<CallResult> {
  if (typeof name !== 'string') throw invalid('`name` must be a string.')
  if (!isJsonObject(given)) throw invalid('`arguments` must be an object.')
  try {
    if (name === FIND) return await find(calling, given)
    if (name === DESCRIBE) return await describe(calling, given.name)
    if (name === CALL) return await callByName(calling, given)
    return await callOperation(calling, await toolNamed(calling, name), given)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return faultResult(error, calling.request.id)
  }
}

async function find(calling: Calling, { query = '', limit }: Record<string, unknown>): Promise<CallResult> {
  const caller = await credentialOf(calling)
  if (typeof query !== 'string') throw invalid('`query` must be a string.')
  const { calls, view } = calling
  const refusalOf = (operation: Operation) => calls.refusalOf(operation, caller)?.message ?? null
  return answerResult(view.find(query, foundLimit(limit), caller, refusalOf), true)
}

async function describe(calling: Calling, name: unknown): Promise<CallResult> {
  await credentialOf(calling)
  return answerResult((await toolNamed(calling, name)).tool, false)
}

async function callByName(
  calling: Calling,
  { name, arguments: given = {} }: Record<string, unknown>,
): Promise<CallResult> {
  if (!isJsonObject(given)) throw invalid('`arguments` must be an object.')
  return callOperation(calling, await toolNamed(calling, name), given)
}

/** For tools that are not operations: requires any credential of an organisation. */
const credentialOf = ({ calls, presented }: Calling) => calls.identifyAny(presented(true))

async function callOperation(
  { calls, request, presented }: Calling,
  { id, operation, tool }: OperationTool,
  given: Record<string, unknown>,
): Promise<CallResult> {
  const { access, method, bodyKind, answer } = operation
  const sent = answer.media === null ? given : { ...given, format: 'json' }
  const input = bodyKind === 'parsed' ? withBody(operation, sent) : sent
  // A tool call needs a credential, even where the same request over HTTP needs none.
  const output = await calls.callAs(
    id,
    presented((method === 'GET' && access !== 'ingest') || access === 'public'),
    input,
    request,
  )
  return answerResult(output, tool.outputSchema !== undefined)
}

/** The declared fields of a body that is not ours are read from it, as over HTTP. */
function withBody({ input }: Operation, { body, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const json = body === undefined ? {} : body
  const names = isJsonObject(json) ? Object.keys(input.properties).filter(name => Object.hasOwn(json, name)) : []
  const declared = Object.fromEntries(names.map(name => [name, (json as Record<string, unknown>)[name]]))
  return { ...declared, ...rest, body: { bytes: Buffer.from(textOf(json)), json } }
}

function textOf(json: unknown): string {
  try {
    return JSON.stringify(json)
  } catch {
    throw invalidField('body', 'is nested too deeply')
  }
}

/** A withheld tool is answered with a result, so that the model can read the reason. Like any call, it needs a credential. */
async function toolNamed(calling: Calling, name: unknown): Promise<OperationTool> {
  const { byName, withheld, near } = calling.view
  if (typeof name !== 'string') throw invalid('`name` must be a string.')
  const found = byName.get(name)
  if (found) return found
  const refused = withheld.get(name)
  if (refused) {
    await credentialOf(calling)
    throw new Fault('forbidden', { message: refused.why })
  }
  const like = near(name)
  const hint = like.length === 0 ? '`tools/list` lists all.' : `Similar tools are ${like.join(', ')}.`
  throw invalid(`There is no tool ${name.slice(0, 100)}. ${hint}`)
}

const invalid = (message: string) => new RpcError(INVALID_PARAMS, message, { status: 200 })
