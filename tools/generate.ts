// Generates files from the declarations: the OpenAPI document, the reference, the page of events and the client.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sectionsOf } from '../src/host/host.ts'
import { services } from '../src/services/index.ts'
import { generatedFiles, packageFiles } from './generate/files.ts'

const root = join(import.meta.dirname, '..')

const files = generatedFiles(sectionsOf(services))
for (const [file, text] of Object.entries({ ...files, ...packageFiles(files['client/stoa.ts']) })) {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
  process.stdout.write(`${file}\n`)
}
