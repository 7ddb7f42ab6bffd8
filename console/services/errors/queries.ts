// Groups of errors of a time, and the newest single errors with their stacks.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type CapturedError, type ErrorGroup, NotFoundError } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import type { LensInput } from '../../parts/lens.ts'
import { pages } from '../../parts/list.tsx'

const REFRESH_MS = 10_000
/** The most that the host lists. There is no further page. */
const READ_MAX = 200

/** Refreshed while there is one page: several would be read again one after another. */
export const errorGroups = (input: LensInput) => ({
  ...pages(['error-groups', input], (from, options) => stoa.listErrorGroups({ ...input, ...from }, options)),
  placeholderData: keepPreviousData,
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= 1 && REFRESH_MS,
})

/** Whether there is an error at any time. */
export const everErrors = queryOptions({
  queryKey: ['errors'],
  queryFn: async ({ signal }) => (await stoa.listErrors({ limit: 1 }, { signal })).data.length > 0,
  refetchInterval: REFRESH_MS,
})

/** The newest errors of a group, the newest first; none if they were deleted. */
export const errorsOf = (fingerprint: string) =>
  queryOptions({
    queryKey: ['errors', fingerprint],
    queryFn: async ({ signal }): Promise<CapturedError[]> => {
      try {
        return (await stoa.listErrorsOfGroup({ fingerprint, limit: READ_MAX }, { signal })).data
      } catch (error) {
        if (error instanceof NotFoundError) return []
        throw error
      }
    },
    refetchInterval: REFRESH_MS,
  })

export const typeOf = ({ type }: ErrorGroup) => type ?? 'Error'
export const messageOf = ({ message }: ErrorGroup) => message ?? 'No message'
