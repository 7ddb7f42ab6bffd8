// Advice for a call that did not reach a Stoa host.
import { StoaConnectionError } from './errors.ts'

const SHOWN_MAX = 80

/** For an answer that did not come from the host; `body` is what arrived. */
export function foreignAnswer(route: string, response: Response, body: string, cause?: unknown): StoaConnectionError {
  const { url, status, statusText, headers } = response
  const kind = headers.get('content-type')?.split(';', 1)[0] ?? 'no content type'
  const start = body
    .slice(0, 10 * SHOWN_MAX)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const shown =
    start === '' ? '' : ` It starts with: ${start.slice(0, SHOWN_MAX)}${start.length > SHOWN_MAX ? '…' : ''}`
  const message =
    `${route}: the answer (${`${status} ${statusText}`.trim()}, ${kind}) did not come from a Stoa host. Either \`baseUrl\` is not ` +
    `the address of one${URL.canParse(url) ? ` (${new URL(url).origin})` : ''}, or a proxy in between answered.${shown}`
  return new StoaConnectionError(message, { cause, response })
}

/** Node's error codes for a certificate whose authority is unknown. */
const UNKNOWN_AUTHORITY = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]
const NO_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID'
const EXPIRED = 'CERT_HAS_EXPIRED'

/** Whether another attempt would fail in the same way. */
export const isLasting = (code: string) => [...UNKNOWN_AUTHORITY, ...NO_TLS, OTHER_NAME, EXPIRED].includes(code)

/** `code` is Node's error code, empty in browsers. Returns an empty text if there is no advice. */
export function adviceOn(code: string, isPage: boolean): string {
  if (UNKNOWN_AUTHORITY.includes(code)) {
    return (
      'The authority of its certificate is unknown. Start Node with the file of the authority: ' +
      'NODE_EXTRA_CA_CERTS=data/tls/ca.pem for a Stoa on this machine. Setting it later, in `process.env`, has no effect.'
    )
  }
  if (NO_TLS.includes(code)) return 'The server there does not use TLS: check the port in `baseUrl`.'
  if (code === OTHER_NAME)
    return 'Its certificate is for another name: use that name in `baseUrl`, such as `localhost`.'
  if (code === EXPIRED) return 'Its certificate has expired.'
  if (code === 'ECONNREFUSED') {
    return 'No server is listening there: start Stoa with `npm start`, or correct the host and the port in `baseUrl`.'
  }
  if (code === 'ENOTFOUND') return 'The host name does not exist: correct it in `baseUrl`.'
  if (code !== '' || !isPage) return ''
  return (
    'Browsers do not report the cause: perhaps no server is listening there, its certificate is not trusted, or pages of this origin ' +
    'may not call it (CORS).'
  )
}
