// Removes client addresses from the properties of an event, unless the organisation stores them, and, if it is configured,
// texts that look like secrets or card numbers.
import type { EventSettings } from './settings.ts'
import { put } from './wires/fields.ts'
import type { Fields } from './wires/wire.ts'

/** The names of fields with a client address, including forwarded headers; compared without case and punctuation. */
const ADDRESS_NAMES = new Set([
  ...['ip', 'ips', 'ipv4', 'ipv6', 'ipaddr', 'ipaddress', 'ipaddresses', 'initialip', 'currentip', 'lastip'],
  ...['clientip', 'clientaddress', 'userip', 'visitorip', 'sourceip', 'srcip', 'realip', 'originip', 'publicip'],
  ...['remoteip', 'remoteaddr', 'remoteaddress', 'peerip', 'peeraddress'],
  ...[
    'forwarded',
    'forwardedfor',
    'xforwardedfor',
    'xoriginalforwardedfor',
    'xrealip',
    'xclientip',
    'xclusterclientip',
  ],
  ...['cfconnectingip', 'cfconnectingipv6', 'trueclientip', 'fastlyclientip', 'flyclientip', 'xenvoyexternaladdress'],
])
const SIGNS = /[^a-z0-9]/g
/** Names of more characters are not among them. */
const ADDRESS_NAME_CHARACTERS_MAX = 40

/** Runs of characters that secrets consist of; each is checked once. */
const RUN = /[\w.~+/=-]{16,}/g
/** Prefixes of keys that are in use, and tokens. */
const SECRETS = [/^(?:sk|pk|rk|whsec|ghp|gho|xoxa|xoxb|xoxp)[-_]/, /^AKIA[A-Z0-9]{16}$/, /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/]
const BEARER = 'bearer '
const PRIVATE_KEY = 'PRIVATE KEY-----'
const DIGITS = /\b\d(?:[ -]?\d){12,18}\b/g
export const REMOVED = '[removed]'

export function scrubbed(
  properties: Fields,
  { storeAddresses, scrub }: Pick<EventSettings, 'storeAddresses' | 'scrub'>,
): Fields {
  if (!scrub && (storeAddresses || !hasAddress(properties))) return properties
  return walk(properties, !storeAddresses, scrub) as Fields
}

/** Most events have none, and need no copy. */
function hasAddress(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const name of Object.keys(value)) {
    if (isAddressName(name)) return true
    if (hasAddress((value as Fields)[name])) return true
  }
  return false
}

function walk(value: unknown, withoutAddresses: boolean, scrub: boolean): unknown {
  if (typeof value === 'string') return scrub ? withoutSecrets(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(one => walk(one, withoutAddresses, scrub))
  const kept: Fields = {}
  for (const name of Object.keys(value)) {
    if (withoutAddresses && isAddressName(name)) continue
    put(kept, name, walk((value as Fields)[name], withoutAddresses, scrub))
  }
  return kept
}

/** All of them contain one of these, and few other names do. */
const PART_OF_ADDRESS_NAME = /ip|addr|forwarded/i

const isAddressName = (name: string) =>
  name.length <= ADDRESS_NAME_CHARACTERS_MAX &&
  PART_OF_ADDRESS_NAME.test(name) &&
  ADDRESS_NAMES.has(name.toLowerCase().replace(SIGNS, ''))

function withoutSecrets(text: string): string {
  if (text.includes(PRIVATE_KEY)) return REMOVED
  return text
    .replace(RUN, (run, at: number) => (isSecret(run, text.slice(Math.max(0, at - BEARER.length), at)) ? REMOVED : run))
    .replace(DIGITS, digits => (isCard(digits) ? REMOVED : digits))
}

const isSecret = (run: string, before: string) =>
  before.toLowerCase() === BEARER || SECRETS.some(pattern => pattern.test(run))

/** The check digit of ISO/IEC 7812. */
function isCard(text: string): boolean {
  const digits = [...text.replace(/[ -]/g, '')].reverse().map(Number)
  const sum = digits.reduce((total, digit, at) => {
    const doubled = at % 2 === 0 ? digit : digit * 2
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
