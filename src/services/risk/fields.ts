// Fields that several operations of the risk reference share.
import { Type } from 'typebox'
import { integer, string, timestamp } from '../../kit/fields.ts'
import { KEY_BYTES_MAX } from './match/text.ts'

export const SetName = string('The name of a set; GET /v1/risk/reference lists them', 'domain', {
  pattern: '^[\\w-]{1,40}$',
})

/** `maxLength` counts characters; operations also check the length in bytes. */
export const Key = string(
  `What to look up: an e-mail address or domain, an IP address or network, a card number prefix, a user agent, an AS number or a digest; at most ${KEY_BYTES_MAX} bytes`,
  'example.com',
  { minLength: 1, maxLength: KEY_BYTES_MAX },
)

export const Verdict = Type.Enum(['allow', 'deny'], {
  title: 'Verdict',
  description: 'The effect of an override: a key with `deny` counts as a member of the set, one with `allow` does not',
  examples: ['deny'],
})

const duration = (what: string) => string(`${what}, such as 192h0m0s`, '192h0m0s')

/** Facts about the set, part of every answer. */
export const factFields = {
  version: string('Every contributing source with the digest of its data', 'disposable@4f3a9c21'),
  asOf: Type.Optional(timestamp('When the oldest contributing source was current')),
  age: Type.Optional(duration('The time since `asOf`')),
  stale: Type.Boolean({ description: 'Whether the set is older than its maximum age; it still answers' }),
  refusal: Type.Optional(
    string('Why the set cannot be consulted. If present, `hit` has no meaning', 'This set has never been loaded.'),
  ),
}

const ReferenceSource = Type.Object(
  {
    source: string('The name of the source', 'disposable'),
    basis: Type.Enum(['licence', 'registry', 'operator', 'own', 'none'], {
      description: 'What permits its use: a licence, a registry, the publication of an operator, or own data',
    }),
    terms: string('The licence, registry or publication that the basis refers to', 'CC0-1.0'),
    origin: string('The exact address of the data', 'https://lists.example.com/a.txt'),
    version: Type.Optional(string('Digest of the data it last supplied', '4f3a9c21')),
    asOf: Type.Optional(timestamp('When this source was current')),
    keys: integer('Members it contributed', 5_000),
    refusal: Type.Optional(string('Why the last import failed, if it did', 'The source answered 500')),
  },
  { title: 'ReferenceSource', description: 'A publisher that contributes to a set' },
)

export const ReferenceSet = Type.Object(
  {
    set: SetName,
    what: string('What the set contains', 'Domains of throwaway mailboxes'),
    kind: Type.Enum(['fetch', 'local', 'attest', 'seam'], {
      description:
        '`fetch` is downloaded from publishers, `local` is computed here, `attest` is stored by the component that screens against it, and `seam` needs a licence that is not held',
    }),
    match: Type.Enum(['exact', 'domain', 'net', 'digits', 'pattern', 'range'], {
      description: 'How a key is compared with the members',
      examples: ['domain'],
    }),
    keys: integer('Number of members', 5_000),
    ...factFields,
    maxAge: duration('The maximum age'),
    overrides: integer("Number of overrides that the caller's organisation has on the set", 1),
    sources: Type.Array(ReferenceSource, { description: 'The sources that contribute to it' }),
  },
  { title: 'ReferenceSet', description: 'A published set of members that keys are looked up in' },
)

export const names = (what: string) => Type.Array(Type.String(), { description: what, examples: [[]] })
