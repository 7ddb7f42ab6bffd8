import { createHash } from 'node:crypto'
import { createServer } from 'node:net'

/** Holds a directory, named by its real path, for this process. The lock is an abstract socket named after the path: the kernel frees it
 *  however the process ends, so there is never a stale one. Returns the release, or null when another holds it. */
export async function lockDirectory(path: string): Promise<(() => void) | null> {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 32)
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(`\0stoa-${name}`, () => {
      server.unref()
      resolve(() => server.close())
    })
  })
}
