// Imports what a source publishes now. Documents that cannot be parsed are always rejected; a list that grew or shrank
// more than tenfold is accepted only with `force`. Until a version is complete, the previous one answers.
import type { Http, Sql } from '../../../engines/engines.ts'
import { ADMIN_ORG } from '../../../kit/caller.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import type { Lease } from '../../../kit/lease.ts'
import { referenceRefreshed } from '../events.ts'
import type { Source } from '../sources/source.ts'
import * as store from '../store.ts'
import type { Parsed } from '../thread/jobs.ts'
import { parseIn, type RiskThread } from '../thread/open.ts'
import { type Document, FetchFailed, fetchDocument, originOf } from './fetch.ts'

/** The result of importing one source. */
export type ImportResult = {
  source: string
  version: string
  keys: number
  /** Members written by this run. */
  wrote: number
  unchanged: boolean
  resumed: boolean
  refusal?: string
  /** Whether nothing could be fetched from the source. */
  unreachable?: boolean
}

/** Everything is written under the lease: a process that has lost it writes nothing more. */
export type ImportOptions = Publishing & {
  db: Sql
  http: Http
  thread: RiskThread
  mirror: string | null
  lease: Lease
}

/** The factor by which a list may grow or shrink. */
const CHANGE_MAX = 10

export async function importSource(
  options: ImportOptions,
  set: string,
  source: Source,
  force: boolean,
): Promise<ImportResult> {
  const { db, thread, mirror, lease } = options
  const current = (await store.selectSources(db, set)).find(one => one.source === source.source) ?? null
  const origin = originOf(source, mirror)
  try {
    // Validators are only valid for the origin they came from.
    const hasValidators = current?.versionId && current.origin === origin && (current.etag || current.modified)
    const known = hasValidators && !force ? current : null
    const fetched = await fetchDocument(options, origin, {
      isMirror: mirror !== null,
      validators: known,
      signal: lease.signal,
    })
    if (fetched.kind === 'unchanged') {
      if (known) return await unchanged(options, set, known, { origin })
      throw new FetchFailed('The source answered 304 to a request without validators')
    }
    const parsed = await parseIn(thread, {
      source: source.source,
      document: fetched.bytes,
      encoding: fetched.encoding,
    })
    if ('refusal' in parsed) return await refuse(options, set, source, current, parsed.refusal)
    if (current?.versionId && current.version === parsed.version) {
      return await unchanged(options, set, current, { origin, document: fetched })
    }
    const change = force ? null : sizeChangeRefusal(current, parsed.keys)
    if (change) return await refuse(options, set, source, current, change)
    return await importVersion(options, set, source.source, parsed, { origin, document: fetched })
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return { ...(await refuse(options, set, source, current, error.message)), unreachable: true }
  }
}

function sizeChangeRefusal(current: store.SourceRow | null, keys: number): string | null {
  if (!current?.versionId) return null
  if (keys * CHANGE_MAX >= current.keys && keys <= current.keys * CHANGE_MAX) return null
  return `The list went from ${current.keys} to ${keys} members, a change of more than tenfold; \`force\` accepts it`
}

async function refuse(
  { lease }: ImportOptions,
  set: string,
  { source }: Source,
  current: store.SourceRow | null,
  refusal: string,
): Promise<ImportResult> {
  await lease.write(tx => store.noteRefusal(tx, set, source, refusal))
  const version = current?.version ?? ''
  return { source, version, keys: current?.keys ?? 0, wrote: 0, unchanged: false, resumed: false, refusal }
}

type FetchedFrom = { origin: string; document?: Document }

async function unchanged(
  { lease, clock }: ImportOptions,
  set: string,
  current: store.SourceRow,
  { origin, document }: FetchedFrom,
): Promise<ImportResult> {
  const at = clock.now().toISOString()
  const { etag, modified } = document ?? current
  await lease.write(async tx => {
    const unfinished = await store.selectUnfinishedImport(tx, set, current.source)
    if (unfinished) await store.discardImport(tx, unfinished.id, at)
    await store.noteUnchanged(tx, set, current.source, { at, origin, etag, modified })
  })
  const { source, version, keys } = current
  return { source, version: version ?? '', keys, wrote: 0, unchanged: true, resumed: false }
}

/** Whether this many members end at a chunk boundary: an earlier release may have used other chunk sizes. */
function isChunkBoundary(chunks: Parsed['chunks'], imported: number): boolean {
  let sum = 0
  for (const { keys } of chunks) if (sum < imported) sum += keys
  return sum === imported
}

/** Writes the members chunk by chunk. Resumes an interrupted import if the source still publishes the same version. */
async function importVersion(
  options: ImportOptions,
  set: string,
  source: string,
  { version, raw, keys, chunks }: Parsed,
  { origin, document }: Required<FetchedFrom>,
): Promise<ImportResult> {
  const { lease, clock } = options
  const at = clock.now().toISOString()
  const target = await lease.write(async tx => {
    const unfinished = await store.selectUnfinishedImport(tx, set, source)
    if (unfinished?.version === version && isChunkBoundary(chunks, unfinished.imported)) return unfinished
    if (unfinished) await store.discardImport(tx, unfinished.id, at)
    const id = await store.insertImport(tx, set, source, { version, raw, keys, at })
    return { id, version, imported: 0 }
  })
  let imported = 0
  for (const [n, chunk] of chunks.entries()) {
    imported += chunk.keys
    if (imported > target.imported) await lease.write(tx => store.insertMembers(tx, target.id, n, chunk))
  }
  const { etag, modified } = document
  await lease.write(async tx => {
    await store.finishImport(tx, set, source, target.id, { version, keys, at, origin, etag, modified })
    await emitting(options, tx, referenceRefreshed, emit =>
      emit('risk.reference.refreshed', { set, source, version, keys }, ADMIN_ORG),
    )
  })
  const resumed = target.imported > 0
  return { source, version, keys, wrote: keys - target.imported, unchanged: false, resumed }
}
