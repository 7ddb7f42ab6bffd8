// The certificate authorities that outgoing connections trust.
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

/** Those that Node trusts, and others in PEM. Made once: to make one for each connection costs as much as its handshake. */
export const trusting = (ca: string | undefined): SecureContext =>
  createSecureContext(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] })
