// How faults are formatted in responses. The native format is the one OpenAI's clients read; operations of another
// protocol declare the dialect its clients expect.
import type { Fault } from './fault.ts'

export type Dialect = (fault: Fault, requestId: string) => { status: number; body: unknown }

export const native: Dialect = (fault, requestId) => ({ status: fault.status, body: fault.body(requestId) })

/** RFC 6749, section 5.2. */
export const oauth: Dialect = fault => ({
  status: fault.status,
  body: { error: oauthCode(fault.status), error_description: fault.message },
})

function oauthCode(status: number): string {
  if (status === 401) return 'invalid_client'
  if (status === 403) return 'access_denied'
  if (status === 503) return 'temporarily_unavailable'
  return status < 500 ? 'invalid_request' : 'server_error'
}

/** JSON-RPC 2.0, section 5.1, for failures before a message and its id are known. */
export const jsonrpc: Dialect = (fault, requestId) => ({
  status: fault.status,
  body: {
    jsonrpc: '2.0',
    id: null,
    error: { code: jsonrpcCode(fault), message: fault.message, data: fault.body(requestId).error },
  },
})

function jsonrpcCode({ code, status }: Fault): number {
  if (code === 'malformed_request') return -32700
  if (code === 'invalid_input') return -32602
  return status < 500 ? -32600 : -32603
}
