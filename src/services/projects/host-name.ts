// Which texts name a host that somebody can own: a name below a public suffix, in the form browsers and resolvers use.
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { Type } from 'typebox'
import { invalidInput } from '../../kit/check.ts'

export const Host = Type.String({
  pattern: '^[\\p{L}\\p{M}\\p{N}.-]{1,240}$',
  description: "A host's name, such as shop.example.com, without scheme, port or wildcard",
  examples: ['shop.example.com'],
})

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** A resolver takes names of 253 characters, and the record that is looked for stands below the host. */
const RECORD = '_stoa-verify.'
const HOST_MAX = 253 - RECORD.length
export const recordName = (host: string): string => RECORD + host

/** The name in lower case and ASCII, as it is kept. */
export function nameFrom(text: string): string {
  const host = domainToASCII(text)
  if (host.length <= HOST_MAX && host.split('.').every(label => LABEL.test(label))) return host
  throw wrong("must be a host's name, such as shop.example.com, without a dot at its end")
}

/** Names that no name server on the internet answers for. */
const NOBODYS = ['localhost', 'invalid', 'onion', 'arpa']

/** The same, for a name that somebody can own. */
export function ownHostFrom(text: string): string {
  const host = nameFrom(text)
  const last = host.slice(host.lastIndexOf('.') + 1)
  const { isIp, domain, publicSuffix } = parse(host, { allowPrivateDomains: true })
  if (isIp || /^\d+$/.test(last)) throw wrong('must be a name, not an address')
  if (NOBODYS.includes(last)) throw wrong(`must be a name on the internet; nothing below ${last} is`)
  if (domain === null) throw wrong(`must be below the public suffix ${publicSuffix ?? host}, not that itself`)
  return host
}

const wrong = (says: string) => invalidInput([{ path: 'host', says }])
