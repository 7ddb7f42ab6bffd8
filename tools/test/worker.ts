// A process of a run: claims test files one after the other and runs the tests of each.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Progress, Queue } from './run.ts'

const directory = process.env.STOA_TEST_QUEUE as string
const { files, workMs, leftOpenMs } = JSON.parse(readFileSync(join(directory, 'queue.json'), 'utf8')) as Queue

/** The next unclaimed file; undefined if none is left. */
function claim(): string | undefined {
  return files.find((_, n) => {
    try {
      writeFileSync(join(directory, String(n)), '', { flag: 'wx' })
      return true
    } catch {
      return false
    }
  })
}

export async function work(entry: string, isLast: boolean): Promise<void> {
  const record = (line: Progress) =>
    appendFileSync(join(directory, 'progress'), `${JSON.stringify({ entry, ...line })}\n`)
  let isDone = false
  let running = ''
  watchOutput(printed => record({ file: running, printed }))
  // A process that exits before its tests have ended, with whatever code, has not passed.
  process.on('exit', code => {
    if (isDone && code === 0) record({})
    else process.exitCode = 1
  })
  // Otherwise a test that waits only for a thread would look as if it waited for nothing.
  const awake = setInterval(() => {}, 60_000)
  do {
    const file = claim()
    if (file === undefined) break
    running = file
    record({ file })
    const [startedMs, before] = [performance.now(), process.cpuUsage()]
    // Its tests run when the file is loaded, and its hooks before the next file is.
    await describe(file, async () => {
      await import(pathToFileURL(file).href)
    })
    const { user, system } = process.cpuUsage(before)
    record({ file, ms: performance.now() - startedMs, cpuMs: (user + system) / 1_000 })
  } while (isLast || performance.now() < workMs)
  clearInterval(awake)
  isDone = true
  // A failed test may have left a server open, which would block the run until its time limit.
  setTimeout(() => {
    process.stderr.write(`${running} left open: ${process.getActiveResourcesInfo().join(', ')}\n`)
    process.exit(1)
  }, leftOpenMs).unref()
}

/** Node itself writes the outcomes of tests to the same stream, as bytes. */
function watchOutput(tell: (text: string) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream)
    stream.write = ((chunk: unknown, ...rest: []) => {
      if (typeof chunk === 'string') tell(chunk)
      return write(chunk as string, ...rest)
    }) as typeof stream.write
  }
}
