// What the service knows of a publisher, and what it takes from one: members with what is said about them.

export type Value = Readonly<Record<string, string>>

export type Member = { key: string; value: Value; score?: number }

/** Members are distinct and in code-unit order; `dropped` counts rows that were read and left out for a reason. */
export type Parsed = { members: Member[]; dropped: number }

export type Source = {
  source: string
  basis: 'licence' | 'registry' | 'operator' | 'own' | 'none'
  /** The licence, the registry or the operator's publication that the basis points at. */
  terms: string
  /** The exact address the data is taken from, or in words where nothing is fetched. */
  origin: string
  /** Only of sources that are fetched. */
  parse?: (text: string) => Parsed
}

/** Raised when a document cannot be read as what the publisher publishes; its message is for the operator. */
export class Unreadable extends Error {}
