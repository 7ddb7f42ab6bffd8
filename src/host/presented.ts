// Collects the credentials that an HTTP request presents.
import type { IncomingMessage } from 'node:http'
import { INGEST_HEADER, type Presented } from '../kit/host/credentials.ts'
import type { Operation } from '../kit/operation.ts'
import { countHeader } from './arrival.ts'
import { isSafe, malformed } from './faults.ts'

/** For beacons, which cannot set headers. Removed from the query before the operation sees it. */
export const INGEST_PARAMETER = 'ingest_key'

/** Events are written with any method: some SDKs use GET. */
export const readsOnly = ({ access }: Operation, method: string): boolean => access !== 'ingest' && isSafe(method)

/** Node keeps only the first of several, but a proxy in front may have used another one. */
export function requireOneCredential({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization !== undefined && countHeader(rawHeaders, 'authorization') > 1) {
    throw malformed('Send one Authorization header, not several.')
  }
}

/** A key in another protocol's header, treated as a bearer credential. */
function inKeyHeader({ headers, rawHeaders }: IncomingMessage, { keyHeader }: Operation): string | undefined {
  if (keyHeader === null || headers[keyHeader] === undefined) return undefined
  if (countHeader(rawHeaders, keyHeader) > 1) throw malformed(`Send one ${keyHeader} header, not several.`)
  return `Bearer ${headers[keyHeader]}`
}

export function presentedIn(
  request: IncomingMessage,
  address: string,
  query: Record<string, unknown>,
  operation: Operation,
): Presented {
  const { headers, rawHeaders, method = '' } = request
  const { cookie, 'x-csrf-token': csrfToken } = headers
  requireOneCredential(request)
  const authorization = headers.authorization ?? inKeyHeader(request, operation)
  const presented: Presented = {
    address,
    authorization,
    cookie,
    csrfToken: csrfToken as string | undefined,
    isSafe: readsOnly(operation, method),
  }
  if (operation.access !== 'ingest' || /^bearer\b/i.test(authorization ?? '')) return presented
  const inHeader = headers[INGEST_HEADER]
  const inQuery = query[INGEST_PARAMETER]
  if (countHeader(rawHeaders, INGEST_HEADER) > 1 || (inHeader === undefined && Array.isArray(inQuery))) {
    throw malformed('Send one ingest key, not several.')
  }
  return { ...presented, ingestHeader: inHeader as string | undefined, ingestParameter: inQuery as string | undefined }
}
