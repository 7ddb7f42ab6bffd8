// Host names that can be owned: names below a public suffix, in the form that browsers and resolvers use.
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { invalidField } from '../../kit/check.ts'
import { string } from '../../kit/fields.ts'

export const Host = string(
  'A host name, such as shop.example.com, without scheme, port or wildcard',
  'shop.example.com',
  { pattern: '^[\\p{L}\\p{M}\\p{N}.-]{1,240}$' },
)

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Resolvers accept names of up to 253 characters, and the TXT record is looked up below the host. */
const RECORD = '_stoa-verify.'
const HOST_MAX = 253 - RECORD.length
export const recordName = (host: string): string => RECORD + host
export const recordValue = ({ token }: { token: string }): string => `stoa-verify=${token}`

/** The name in lower case and ASCII, as it is stored. */
export function nameFrom(text: string): string {
  const host = domainToASCII(text)
  if (host.length <= HOST_MAX && host.split('.').every(label => LABEL.test(label))) return host
  throw wrong('must be a host name, such as shop.example.com, without a trailing dot')
}

/** Top-level names that no name server on the internet answers for. */
const NOT_PUBLIC = ['localhost', 'invalid', 'onion', 'arpa']

/** Like `nameFrom`, but rejects names that cannot be owned. */
export function ownableHostFrom(text: string): string {
  const host = nameFrom(text)
  const last = host.slice(host.lastIndexOf('.') + 1)
  const { isIp, domain, publicSuffix } = parse(host, { allowPrivateDomains: true })
  if (isIp || /^\d+$/.test(last)) throw wrong('must be a name, not an IP address')
  if (NOT_PUBLIC.includes(last)) throw wrong(`must be a name on the internet; names below ${last} are not`)
  if (domain === null) throw wrong(`must be below the public suffix ${publicSuffix ?? host}, not the suffix itself`)
  return host
}

const wrong = (says: string) => invalidField('host', says)

/** The lock for verifying, checking or detaching a host. */
export const hostLock = (host: string): string => `host ${host}`
