// A source (publisher of reference data), and the members and values parsed from its documents.

export type Value = Readonly<Record<string, string>>

export type Member = { key: string; value: Value; score?: number }

/** Members are distinct and in code-unit order; `dropped` counts readable rows that were deliberately left out. */
export type Parsed = { members: Member[]; dropped: number }

export type Source = {
  source: string
  basis: 'licence' | 'registry' | 'operator' | 'own' | 'none'
  /** The licence, the registry or the operator's publication that `basis` refers to. */
  terms: string
  /** The exact URL of the data, or a description if nothing is fetched. */
  origin: string
  /** Only for sources that are fetched. */
  parse?: (text: string) => Parsed
}

/** Thrown if a document is not in the source's format or not plausible. The message is reported as `refusal`. */
export class Unreadable extends Error {}
