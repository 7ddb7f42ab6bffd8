// The served browser tag is made from its sources.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { it } from 'node:test'
import { read } from './files.ts'
import { BUNDLER, TAG_FILE, tagText } from './generate/tag.ts'

const skip = existsSync(BUNDLER) ? false : 'the tools of the console are not installed: npm run check installs them'

it('the browser tag matches its sources', { skip }, async () => {
  assert.ok(
    read(TAG_FILE) === (await tagText()),
    `${TAG_FILE} is outdated; run \`npm run generate\` and commit the result`,
  )
})
