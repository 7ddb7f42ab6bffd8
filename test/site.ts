// A built console, as small as one can be.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** Removed after the tests of the file. */
export function siteDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-site-'))
  after(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), '<!doctype html><html lang="en">')
  for (const ending of ['', '.br']) writeFileSync(join(directory, `assets/app-4f3a9c21.js${ending}`), 'let a')
  return directory
}
