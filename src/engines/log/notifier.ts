// Notifies other processes of new events, at most once per 20 ms: each notification is its own commit, and commits with
// notifications wait for each other.
const INTERVAL_MS = 20

/** `send` gets a number whose bits are the lanes with new events. */
export function openNotifier(send: (lanes: number) => Promise<void>) {
  let bits = 0
  let timer: NodeJS.Timeout | null = null
  let sending = Promise.resolve()

  function flush(): void {
    timer = null
    if (bits === 0) return
    timer = setTimeout(flush, INTERVAL_MS)
    timer.unref()
    const lanes = bits
    bits = 0
    sending = Promise.all([sending, send(lanes)]).then(() => {})
  }

  return {
    notify: (lanes: readonly number[]) => {
      for (const lane of lanes) bits |= 1 << lane
      if (timer === null) flush()
    },
    /** Resolves when all notifications are sent. */
    close: async () => {
      if (timer) clearTimeout(timer)
      flush()
      if (timer) clearTimeout(timer)
      await sending
    },
  }
}
