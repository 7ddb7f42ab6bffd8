// The kinds of field that recur in the risk reference.
import { Type } from 'typebox'
import { timestamp } from '../../kit/fields.ts'
import { KEY_BYTES_MAX } from './match/text.ts'

export const SetName = Type.String({
  pattern: '^[\\w-]{1,40}$',
  description: 'The name of a set; GET /v1/risk/reference lists them',
  examples: ['domain'],
})

/** Bytes are checked where it is read; no character has fewer than one. */
export const Key = Type.String({
  minLength: 1,
  maxLength: KEY_BYTES_MAX,
  description: `What is looked up: an e-mail address or domain, an address or network, a card prefix, a browser's name, an AS number, a digest; at most ${KEY_BYTES_MAX} bytes`,
  examples: ['example.com'],
})

export const Verdict = Type.Enum(['allow', 'deny'], { description: '`allow` or `deny`', examples: ['deny'] })

const duration = (what: string) => Type.String({ description: `${what}, such as 192h0m0s`, examples: ['192h0m0s'] })

/** What every answer says of the set it came of. */
export const factFields = {
  version: Type.String({ description: 'Every contributing publisher with the digest of what it supplied' }),
  asOf: Type.Optional(timestamp('When the oldest contributing publisher was current')),
  age: Type.Optional(duration('How long ago that was')),
  stale: Type.Boolean({ description: 'Whether it is past its bound; it still answers' }),
  refusal: Type.Optional(
    Type.String({ description: 'Why the set cannot be consulted. If it is there, hit is no answer' }),
  ),
}

export const Source = Type.Object({
  source: Type.String({ description: 'The publisher' }),
  basis: Type.Enum(['licence', 'registry', 'operator', 'own', 'none']),
  terms: Type.String({ description: 'What the basis points at' }),
  origin: Type.String({ description: 'Exactly where the data was taken from' }),
  version: Type.Optional(Type.String({ description: 'Digest of what it supplied last' })),
  asOf: Type.Optional(timestamp('When this publisher was current')),
  keys: Type.Integer({ description: 'Members it contributed' }),
  refusal: Type.Optional(Type.String({ description: 'Why the last take failed, if it did' })),
})

export const ReferenceSet = Type.Object({
  set: SetName,
  what: Type.String({ description: 'What the set holds' }),
  kind: Type.Enum(['fetch', 'local', 'attest', 'seam']),
  match: Type.Enum(['exact', 'domain', 'net', 'digits', 'pattern', 'range']),
  keys: Type.Integer({ description: 'How many members it has' }),
  ...factFields,
  maxAge: duration('How old it may be'),
  overrides: Type.Integer({ description: "How many entries the caller's organisation holds over it" }),
  sources: Type.Array(Source),
})

export const names = (what: string) => Type.Array(Type.String(), { description: what })
