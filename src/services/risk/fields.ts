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

export const Verdict = Type.Enum(['allow', 'deny'], {
  title: 'Verdict',
  description: 'What an override says of its key: `deny` counts as a member of the set, `allow` does not',
  examples: ['deny'],
})

const duration = (what: string) => Type.String({ description: `${what}, such as 192h0m0s`, examples: ['192h0m0s'] })

/** Facts about the set, part of every answer. */
export const factFields = {
  version: Type.String({
    description: 'Every contributing source with the digest of its data',
    examples: ['disposable@4f3a9c21'],
  }),
  asOf: Type.Optional(timestamp('When the oldest contributing source was current')),
  age: Type.Optional(duration('The time since `asOf`')),
  stale: Type.Boolean({ description: 'Whether the set is older than its maximum age; it still answers' }),
  refusal: Type.Optional(
    Type.String({
      description: 'Why the set cannot be consulted. If present, `hit` has no meaning',
      examples: ['This set has never been loaded.'],
    }),
  ),
}

const ReferenceSource = Type.Object(
  {
    source: Type.String({ description: 'The name of the source', examples: ['disposable'] }),
    basis: Type.Enum(['licence', 'registry', 'operator', 'own', 'none'], {
      description: 'What permits its use: a licence, a registry, the publication of an operator, or own data',
    }),
    terms: Type.String({
      description: 'The licence, registry or publication that the basis refers to',
      examples: ['CC0-1.0'],
    }),
    origin: Type.String({
      description: 'The exact address of the data',
      examples: ['https://lists.example.com/a.txt'],
    }),
    version: Type.Optional(Type.String({ description: 'Digest of the data it last supplied', examples: ['4f3a9c21'] })),
    asOf: Type.Optional(timestamp('When this source was current')),
    keys: Type.Integer({ description: 'Members it contributed', examples: [5_000] }),
    refusal: Type.Optional(
      Type.String({ description: 'Why the last import failed, if it did', examples: ['The source answered 500'] }),
    ),
  },
  { title: 'ReferenceSource', description: 'A publisher that contributes to a set' },
)

export const ReferenceSet = Type.Object(
  {
    set: SetName,
    what: Type.String({ description: 'What the set contains', examples: ['Domains of throwaway mailboxes'] }),
    kind: Type.Enum(['fetch', 'local', 'attest', 'seam'], {
      description:
        '`fetch` is downloaded from publishers, `local` is computed here, `attest` is stored by the component that screens against it, and `seam` needs a licence that is not held',
    }),
    match: Type.Enum(['exact', 'domain', 'net', 'digits', 'pattern', 'range'], {
      description: 'How a key is compared with the members',
      examples: ['domain'],
    }),
    keys: Type.Integer({ description: 'Number of members', examples: [5_000] }),
    ...factFields,
    maxAge: duration('The maximum age'),
    overrides: Type.Integer({
      description: "Number of overrides that the caller's organisation has on the set",
      examples: [1],
    }),
    sources: Type.Array(ReferenceSource, { description: 'The sources that contribute to it' }),
  },
  { title: 'ReferenceSet', description: 'A published set of members that keys are looked up in' },
)

export const names = (what: string) => Type.Array(Type.String(), { description: what, examples: [[]] })
