// Takes what a publisher has now. Nothing that cannot be read lands, whoever insists; a list that has shrunk or grown beyond
// belief lands only by force; and until a version is there whole, the one before answers.
import type { Clock, Http, Sql } from '../../../engines/engines.ts'
import type { Lease } from '../../../kit/lease/lease.ts'
import type { Source } from '../sources/source.ts'
import * as store from '../store.ts'
import type { Parsed } from '../thread/jobs.ts'
import type { Thread } from '../thread/open.ts'
import { type Document, fetchDocument, NotTaken, originOf } from './fetch.ts'

/** What came of one publisher. */
export type Took = {
  source: string
  version: string
  keys: number
  /** Members written by this run. */
  wrote: number
  unchanged: boolean
  resumed: boolean
  refusal?: string
  /** Whether nothing could be got from it at all. */
  unreachable?: boolean
}

/** Everything is written under the lease: who lost it to another process writes nothing any more. */
export type TakeOptions = {
  db: Sql
  http: Http
  clock: Clock
  thread: Thread
  mirror: string | null
  lease: Lease
}

/** How many times larger or smaller a list may be than the one before. */
const CHANGE_MAX = 10

export async function take(options: TakeOptions, set: string, source: Source, force: boolean): Promise<Took> {
  const { db, thread, mirror, lease } = options
  const held = (await store.selectSources(db, set)).find(one => one.source === source.source) ?? null
  const origin = originOf(source, mirror)
  try {
    // Of another place, what is held is no answer to "has it changed".
    const canAsk = held?.versionId && held.origin === origin && (held.etag || held.modified)
    const known = canAsk && !force ? held : null
    const fetched = await fetchDocument(options, origin, {
      isMirror: mirror !== null,
      held: known,
      signal: lease.signal,
    })
    if (fetched.kind === 'unchanged') {
      if (known) return await unchanged(options, set, known, { origin })
      throw new NotTaken('The publisher says that nothing has changed, but was not asked')
    }
    const parsed = await thread.parse({ source: source.source, document: fetched.bytes, encoding: fetched.encoding })
    if ('refusal' in parsed) return await refuse(options, set, source, held, parsed.refusal)
    if (held?.versionId && held.version === parsed.version) {
      return await unchanged(options, set, held, { origin, document: fetched })
    }
    const change = force ? null : beyondBelief(held, parsed.keys)
    if (change) return await refuse(options, set, source, held, change)
    return await land(options, set, source.source, parsed, { origin, document: fetched })
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error
    return { ...(await refuse(options, set, source, held, error.message)), unreachable: true }
  }
}

function beyondBelief(held: store.SourceRow | null, keys: number): string | null {
  if (!held?.versionId) return null
  if (keys * CHANGE_MAX >= held.keys && keys <= held.keys * CHANGE_MAX) return null
  return `The list went from ${held.keys} to ${keys} members, which is more than ten times; force takes it all the same`
}

async function refuse(
  { lease }: TakeOptions,
  set: string,
  { source }: Source,
  held: store.SourceRow | null,
  refusal: string,
): Promise<Took> {
  await lease.write(tx => store.noteRefusal(tx, set, source, refusal))
  const { version = '', keys = 0 } = { version: held?.version ?? '', keys: held?.keys ?? 0 }
  return { source, version, keys, wrote: 0, unchanged: false, resumed: false, refusal }
}

type Whence = { origin: string; document?: Document }

async function unchanged(
  { lease, clock }: TakeOptions,
  set: string,
  held: store.SourceRow,
  { origin, document }: Whence,
): Promise<Took> {
  const at = clock.now().toISOString()
  const { etag, modified } = document ?? held
  await lease.write(async tx => {
    const landing = await store.selectLanding(tx, set, held.source)
    if (landing) await store.discardLanding(tx, landing.id, at)
    await store.noteUnchanged(tx, set, held.source, { at, origin, etag, modified })
  })
  const { source, version, keys } = held
  return { source, version: version ?? '', keys, wrote: 0, unchanged: true, resumed: false }
}

/** Whether so many members are some of the chunks whole: an earlier release may have cut them otherwise. */
function isBetween(chunks: Parsed['chunks'], landed: number): boolean {
  let sum = 0
  for (const { keys } of chunks) if (sum < landed) sum += keys
  return sum === landed
}

/** Writes the members some at a time, going on where a run that died had come to if the publisher still says the same. */
async function land(
  { lease, clock }: TakeOptions,
  set: string,
  source: string,
  { version, raw, keys, chunks }: Parsed,
  { origin, document }: Required<Whence>,
): Promise<Took> {
  const at = clock.now().toISOString()
  const begun = await lease.write(async tx => {
    const landing = await store.selectLanding(tx, set, source)
    if (landing?.version === version && isBetween(chunks, landing.landed)) return landing
    if (landing) await store.discardLanding(tx, landing.id, at)
    const id = await store.insertLanding(tx, set, source, { version, raw, keys, at })
    return { id, version, landed: 0 }
  })
  let landed = 0
  for (const [n, chunk] of chunks.entries()) {
    landed += chunk.keys
    if (landed > begun.landed) await lease.write(tx => store.insertMembers(tx, begun.id, n, chunk))
  }
  const { etag, modified } = document
  await lease.write(tx => store.finishLanding(tx, set, source, begun.id, { version, keys, at, origin, etag, modified }))
  const resumed = begun.landed > 0
  return { source, version, keys, wrote: keys - begun.landed, unchanged: false, resumed }
}
