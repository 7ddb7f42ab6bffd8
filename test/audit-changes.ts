import type { Answer } from './host.ts'

export type Changes = Record<string, { from?: unknown; to?: unknown }>

/** `changes` is null where nothing but a secret changed; `reader` is the key that reads the trail of the entry. `tenant`
 *  gets the events, by default `home`; `emits` are their subjects, by default all that the operation declares. */
export type Written = {
  answer: Answer
  on: string
  changes: Changes | null
  reader?: string
  tenant?: string
  emits?: string[]
}
