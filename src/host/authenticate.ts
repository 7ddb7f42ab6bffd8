// From the Authorization header to the caller, before a byte of the body is read.
import type { IncomingMessage } from 'node:http'
import { administers, type Caller, isSuperadmin } from '../kit/caller.ts'
import type { Credentials } from '../kit/credentials.ts'
import { Fault } from '../kit/fault.ts'
import type { Access } from '../kit/operation.ts'
import { count } from './arrival.ts'
import { malformed } from './faults.ts'

const CHALLENGE = { 'www-authenticate': 'Bearer' }

export function authenticate(request: IncomingMessage, credentials: Credentials): Caller | Promise<Caller> {
  const header = request.headers.authorization
  if (header === undefined) {
    throw new Fault('credential_required', {
      message: 'Send a key of your organisation as `Authorization: Bearer sk-…`.',
      headers: CHALLENGE,
    })
  }
  // Node keeps the first of several and drops the rest; another server on the way may have read the other one.
  if (count(request.rawHeaders, 'authorization') > 1) throw malformed('Send one Authorization header, not several.')
  const text = header.startsWith('Bearer ') || /^bearer /i.test(header) ? header.slice(7) : ''
  if (text.startsWith('sk-')) return credentials.secretKey(text)
  if (text.startsWith('pk-')) {
    throw new Fault('forbidden', {
      message: 'A publishable key (pk-) can write events and nothing else; use a secret key (sk-) here.',
    })
  }
  throw new Fault('credential_refused', {
    message: 'The Authorization header must read `Bearer sk-…`.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}

export function authorise(access: Access, caller: Caller): void {
  if (access === 'admin' && !administers(caller)) {
    throw new Fault('forbidden', { message: 'Only an owner or admin of the organisation may do this.' })
  }
  if (access === 'superadmin' && !isSuperadmin(caller)) {
    throw new Fault('forbidden', { message: 'Only the operators of this platform may do this.' })
  }
}
