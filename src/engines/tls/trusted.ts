// The certificate authorities that outgoing connections trust.
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

/** Node's own and additional ones in PEM. Created once: creating them per connection costs as much as the handshake. */
export const trusting = (ca: string | undefined): SecureContext =>
  createSecureContext(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] })
