// Groups of errors of a time, and the newest single errors with their stacks.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { CapturedError, ErrorGroup } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import type { LensInput } from '../../parts/lens.ts'
import { pages } from '../../parts/list.tsx'

const REFRESH_MS = 10_000
/** The most that the host lists. There is no further page. */
export const READ_MAX = 200

/** Refreshed while there is one page: several would be read again one after another. */
export const errorGroups = (input: LensInput) => ({
  ...pages(['error-groups', input], (from, options) => stoa.listErrorGroups({ ...input, ...from }, options)),
  placeholderData: keepPreviousData,
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= 1 && REFRESH_MS,
})

/** The newest errors of the organisation, of which those of a group are taken: the host does not list those of one group. */
const newestErrors = queryOptions({
  queryKey: ['errors'],
  queryFn: ({ signal }) => stoa.listErrors({ limit: READ_MAX }, { signal }),
  refetchInterval: REFRESH_MS,
})

/** Whether there is an error at any time. */
export const everErrors = { ...newestErrors, select: ({ data }: { data: CapturedError[] }) => data.length > 0 }

/** The newest errors of a group, the newest first. */
export const errorsOf = (fingerprint: string) => ({
  ...newestErrors,
  select: ({ data }: { data: CapturedError[] }) => data.filter(one => one.fingerprint === fingerprint),
})

export const typeOf = ({ type }: ErrorGroup) => type ?? 'Error'
export const messageOf = ({ message }: ErrorGroup) => message ?? 'No message'
