// The results of tool calls: an answer as text and as structured content, a fault as words that a model can act on.
import { answerText } from '../../kit/answer.ts'
import type { Fault } from '../../kit/fault.ts'

/** `challenge` is the WWW-Authenticate of a call that needs another credential. */
export type CallResult = { text: string; challenge: string | null }

/** `hasSchema`: the tool declares what its answer looks like, so that clients expect it as structured content. */
export function answerResult(output: unknown, hasSchema: boolean): CallResult {
  if (output === undefined) return resultOf({ content: [{ type: 'text', text: 'Done.' }] })
  const json = answerText(output)
  const content = JSON.stringify([{ type: 'text', text: json }])
  // Composed, so that the answer is serialised once.
  const structured = hasSchema ? `,"structuredContent":${json}` : ''
  return { text: `{"content":${content}${structured},"resultType":"complete"}`, challenge: null }
}

export function faultResult(fault: Fault, requestId: string): CallResult {
  const { error } = fault.body(requestId) as { error: Record<string, unknown> }
  const retryAfter = fault.headers['retry-after']
  const lines = [
    `${fault.code}: ${fault.message}`,
    ...fault.fields.map(({ path, says }) => `- \`${path}\` ${says}`),
    ...(retryAfter === undefined ? [] : [`Try again after ${retryAfter} seconds.`]),
    `Request ${requestId}.`,
  ]
  const result = resultOf({
    content: [{ type: 'text', text: lines.join('\n') }],
    isError: true,
    _meta: { 'stoa/error': { ...error, status: fault.status, ...(retryAfter && { retryAfter: Number(retryAfter) }) } },
  })
  return fault.status === 401 ? { ...result, challenge: fault.headers['www-authenticate'] ?? 'Bearer' } : result
}

const resultOf = (result: object): CallResult => ({
  text: JSON.stringify({ ...result, resultType: 'complete' }),
  challenge: null,
})
