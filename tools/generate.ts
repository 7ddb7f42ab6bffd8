// Generates files from the declarations: the OpenAPI document, the reference, the pages of roles and of events, the
// table of settings and the client; the third-party notices from the lock file; and the browser tag from its sources.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allSettings } from '../src/config.ts'
import { installTools } from '../src/console/tools.ts'
import { sectionsOf } from '../src/host/host.ts'
import { settingsOf } from '../src/kit/service.ts'
import { services } from '../src/services/index.ts'
import { generatedFiles, packageFiles, pageFiles } from './generate/files.ts'
import { TAG_FILE, tagText } from './generate/tag.ts'

const root = join(import.meta.dirname, '..')
installTools()
writeFileSync(join(root, TAG_FILE), await tagText())
process.stdout.write(`${TAG_FILE}\n`)

const files = generatedFiles(sectionsOf(services))
const pages = pageFiles(allSettings(settingsOf(services)))
for (const [file, text] of Object.entries({ ...files, ...packageFiles(files['client/stoa.ts']), ...pages })) {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
  process.stdout.write(`${file}\n`)
}
