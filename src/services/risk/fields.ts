// Fields that several operations of the risk reference share.
import { Type } from 'typebox'
import { timestamp } from '../../kit/fields.ts'
import { KEY_BYTES_MAX } from './match/text.ts'

export const SetName = Type.String({
  pattern: '^[\\w-]{1,40}$',
  description: 'The name of a set; GET /v1/risk/reference lists them',
  examples: ['domain'],
})

/** `maxLength` counts characters; operations also check the length in bytes. */
export const Key = Type.String({
  minLength: 1,
  maxLength: KEY_BYTES_MAX,
  description: `What to look up: an e-mail address or domain, an IP address or network, a card number prefix, a user agent, an AS number or a digest; at most ${KEY_BYTES_MAX} bytes`,
  examples: ['example.com'],
})

export const Verdict = Type.Enum(['allow', 'deny'], { description: '`allow` or `deny`', examples: ['deny'] })

const duration = (what: string) => Type.String({ description: `${what}, such as 192h0m0s`, examples: ['192h0m0s'] })

/** Facts about the set, part of every answer. */
export const factFields = {
  version: Type.String({ description: 'Every contributing source with the digest of its data' }),
  asOf: Type.Optional(timestamp('When the oldest contributing source was current')),
  age: Type.Optional(duration('The time since `asOf`')),
  stale: Type.Boolean({ description: 'Whether the set is older than its maximum age; it still answers' }),
  refusal: Type.Optional(
    Type.String({ description: 'Why the set cannot be consulted. If present, `hit` has no meaning' }),
  ),
}

export const Source = Type.Object({
  source: Type.String({ description: 'The name of the source' }),
  basis: Type.Enum(['licence', 'registry', 'operator', 'own', 'none']),
  terms: Type.String({ description: 'The licence, registry or publication that the basis refers to' }),
  origin: Type.String({ description: 'The exact address of the data' }),
  version: Type.Optional(Type.String({ description: 'Digest of the data it last supplied' })),
  asOf: Type.Optional(timestamp('When this source was current')),
  keys: Type.Integer({ description: 'Members it contributed' }),
  refusal: Type.Optional(Type.String({ description: 'Why the last import failed, if it did' })),
})

export const ReferenceSet = Type.Object({
  set: SetName,
  what: Type.String({ description: 'What the set contains' }),
  kind: Type.Enum(['fetch', 'local', 'attest', 'seam']),
  match: Type.Enum(['exact', 'domain', 'net', 'digits', 'pattern', 'range']),
  keys: Type.Integer({ description: 'Number of members' }),
  ...factFields,
  maxAge: duration('The maximum age'),
  overrides: Type.Integer({ description: "Number of overrides that the caller's organisation has on the set" }),
  sources: Type.Array(Source),
})

export const names = (what: string) => Type.Array(Type.String(), { description: what })
