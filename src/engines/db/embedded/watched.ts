// Starts PostgreSQL's programs so that none of them outlives Stoa, also after kill -9, an abort or the kernel's
// out-of-memory killer, when Stoa cannot run any code.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Account } from './location.ts'

/** How a program is ended after Stoa has died. The server writes a checkpoint first, so that the next start is faster
 *  than after SIGQUIT, which would leave the log to replay (docs/PERFORMANCE.md). What initdb and its children have
 *  written is discarded, so the whole process group is killed. */
const ENDINGS = { server: '-s INT "$$"', initdb: '-s KILL -- "-$$"' }

/** The shell starts a watcher, and then becomes the program, so there is no moment without a watcher. The watcher reads
 *  from a pipe whose other end only Stoa has. A line means that the program has ended and that its process id may
 *  belong to another one; the end of the pipe without a line means that Stoa has died. The second pair of parentheses
 *  keeps the watcher from being a child of PostgreSQL, which restarts when a child that it does not know is killed. */
const script = (ending: string) => `( { read -r _ || kill ${ending}; } <&3 3<&- 2>/dev/null & ); exec "$@" 3<&-`

export function spawnWatched(kind: keyof typeof ENDINGS, command: string[], account: Account): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script(ENDINGS[kind]), 'sh', ...command], {
    ...account.ids,
    cwd: '/',
    env: {}, // PGDATA, PGOPTIONS and similar variables must not affect it.
    detached: true, // Ctrl-C signals the whole process group; the server must run until open requests are finished.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const watcher = child.stdio[3] as Socket
  watcher.on('error', () => {}) // It has been killed.
  child.once('exit', () => {
    watcher.write('\n')
    watcher.destroySoon()
  })
  return child
}
