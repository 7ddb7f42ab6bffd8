// The key that seals all secrets: given as a setting, or created once in the data directory.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../engines.ts'
import { ROOT_KEY_BYTES } from './seal.ts'

export function rootKey(dataDirectory: string, random: Random): Buffer {
  const path = join(dataDirectory, 'root.key')
  if (!existsSync(path)) {
    // Renamed when complete: a truncated key would make all secrets sealed under it unreadable.
    writeFileSync(`${path}.new`, `${random.bytes(ROOT_KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flush: true })
    renameSync(`${path}.new`, path)
  }
  return rootKeyFrom(readFileSync(path, 'utf8').trim(), path)
}

export function rootKeyFrom(text: string, where: string): Buffer {
  const key = Buffer.from(text, 'base64')
  if (key.length === ROOT_KEY_BYTES && key.toString('base64') === text) return key
  throw new Error(`${where} must be ${ROOT_KEY_BYTES} bytes in base64 (openssl rand -base64 ${ROOT_KEY_BYTES})`)
}
