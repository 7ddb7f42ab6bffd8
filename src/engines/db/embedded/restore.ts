// Restores the cluster of a backup: its files are written under another name and renamed when complete, like those of a new
// cluster. The first start replays the log to the end of the backup, so it happens here, where a failure is noticed.
import { chownSync, mkdirSync, realpathSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type ArchiveEntry, writeFileOf } from '../../archive/archive.ts'
import { clusterHome, createPrivateDirectory, serverAccount } from './location.ts'
import { admitAccount, startEmbedded } from './server.ts'

export function restoreCluster(dataDirectory: string) {
  const account = serverAccount()
  const { home: location, confirm } = clusterHome(dataDirectory, account)
  mkdirSync(dirname(location), { recursive: true })
  const home = join(realpathSync(dirname(location)), basename(location))
  const fresh = `${home}.new`
  createPrivateDirectory(fresh, account)
  confirm()
  const own = (path: string) => {
    if (account.ids) chownSync(path, account.ids.uid, account.ids.gid)
  }
  return {
    place: async (entry: ArchiveEntry): Promise<void> => {
      const path = join(fresh, entry.name)
      if (entry.kind === 'directory') mkdirSync(path, { mode: entry.mode })
      else await writeFileOf(path, entry)
      own(path)
    },
    /** Also fails if the backup's log is incomplete. */
    start: async (): Promise<void> => {
      admitAccount(fresh, account)
      renameSync(fresh, home)
      const lost = () => {}
      const server = await startEmbedded({ dataDirectory, log: () => {}, lost })
      await server.stop()
    },
  }
}
