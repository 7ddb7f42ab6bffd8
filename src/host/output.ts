// Writes text to stdout or stderr without blocking. A full disk, a closed terminal or a paused pipe must neither block nor
// end the host, so text that cannot be written is dropped.
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** Limit on text that waits for a slow reader. */
const WAITING_CHARS_MAX = 1024 * 1024
/** The pause between attempts while the reader accepts nothing. */
const RETRY_MS = 50

export type Output = {
  write(text: string): void
  /** Writes as much waiting text as the reader accepts immediately. */
  flush(): void
}

export function openOutput(standard: 1 | 2): Output {
  const fd = nonBlocking(standard)
  let waiting = ''
  let dropped = 0
  let isWriting = false
  let isScheduled = false

  /** Deferred, so that a `flush` in the same turn of the event loop keeps the order. */
  function schedule(): void {
    if (isScheduled || isWriting) return
    isScheduled = true
    setImmediate(next).unref()
  }

  function next(): void {
    isScheduled = false
    if (isWriting || waiting === '') return
    isWriting = true
    const bytes = Buffer.from(waiting)
    waiting = ''
    send(bytes)
  }

  function send(bytes: Buffer): void {
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(send, RETRY_MS, bytes).unref()
      if (!error && written < bytes.length) return send(bytes.subarray(written))
      isWriting = false
      if (!error && dropped > 0) report()
      next()
    })
  }

  function report(): void {
    waiting = `{"level":40,"msg":"output was blocked; ${dropped} texts were dropped"}\n${waiting}`
    dropped = 0
  }

  return {
    write: text => {
      if (waiting.length + text.length > WAITING_CHARS_MAX) dropped++
      else waiting += text
      schedule()
    },
    flush: () => {
      const bytes = Buffer.from(waiting)
      waiting = ''
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      } catch {
        // Nothing can be written, and there is nowhere to report it.
      }
    },
  }
}

/** Pipes and terminals are opened again, because a write to the inherited descriptor blocks while nobody reads. */
function nonBlocking(fd: number): number {
  try {
    const stat = fstatSync(fd)
    if (!stat.isFIFO() && !stat.isCharacterDevice()) return fd
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return fd // A socket, or a terminal of another user.
  }
}
