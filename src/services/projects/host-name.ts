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

/** The name in lower case and ASCII, or the fault that says why nobody can own it. */
export function hostFrom(text: string): string {
  const host = domainToASCII(text)
  const labels = host.split('.')
  if (host.length > HOST_MAX || !labels.every(label => LABEL.test(label))) throw wrong('must be the name of a host')
  const { isIp, domain, publicSuffix } = parse(host, { allowPrivateDomains: true })
  if (isIp || /^\d+$/.test(labels.at(-1) as string)) throw wrong('must be a name, not an address')
  if (labels.at(-1) === 'localhost') throw wrong('must be a name on the internet; localhost is everybody’s own machine')
  if (domain === null) throw wrong(`must be below the public suffix ${publicSuffix ?? host}, not that itself`)
  return host
}

const wrong = (says: string) => invalidInput([{ path: 'host', says }])
