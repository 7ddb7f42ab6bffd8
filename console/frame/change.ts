// Writes: what they change is read again, and an error is shown until it is closed.
import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { toast } from '../parts/toast.tsx'
import { errorText } from './problems.tsx'
import { settled } from './unsaved.tsx'

type Options<Input, Output> = {
  run: (input: Input) => Promise<Output>
  /** The queries that it changes. */
  changes: QueryKey[]
  /** What was done: `Key revoked`. */
  done?: (output: Output) => string
  onDone?: (output: Output) => void
  /** Forms show their errors themselves. */
  showsErrors?: boolean
}

/** Its result is in no cache, because it may have a secret. */
export function useChange<Input = void, Output = unknown>(
  options: Options<Input, Output>,
): UseMutationResult<Output, Error, Input> {
  const { run, changes, done, onDone, showsErrors = false } = options
  const queryClient = useQueryClient()
  const sent = useRef<string | null>(null)
  const mutation = useMutation({
    mutationFn: run,
    gcTime: 0,
    onSuccess: output => {
      settled(true)
      if (done) toast(done(output))
      onDone?.(output)
    },
    onError: error => {
      settled(false)
      if (!showsErrors) toast(errorText(error), 'danger')
    },
    onSettled: (_output, _error, input) => {
      if (sent.current === textOf(input)) sent.current = null
      return Promise.all(changes.map(queryKey => queryClient.invalidateQueries({ queryKey })))
    },
  })
  const { mutate } = mutation
  // A double click arrives before the button is disabled, and would make two things.
  const once: typeof mutate = useCallback(
    (...given) => {
      const text = textOf(given[0])
      if (sent.current === text) return
      sent.current = text
      mutate(...given)
    },
    [mutate],
  )
  return { ...mutation, mutate: once }
}

const textOf = (input: unknown) => JSON.stringify(input) ?? ''
