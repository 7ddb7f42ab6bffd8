// Bundles the sources of the browser tag with the bundler of the console: one script of at most 4 KB as gzip.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'src/services/event/tag/page/main.ts')
export const BUNDLER = join(ROOT, 'console/node_modules/rolldown/dist/index.mjs')
export const TAG_FILE = 'src/services/event/tag/tag.js'

type Bundle = { generate(options: object): Promise<{ output: readonly { code: string }[] }>; close(): Promise<void> }

export async function tagText(): Promise<string> {
  const { rolldown }: { rolldown(options: object): Promise<Bundle> } = await import(pathToFileURL(BUNDLER).href)
  const bundle = await rolldown({ input: SOURCE, platform: 'browser', transform: { target: 'es2021' } })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  await bundle.close()
  const code = output[0]?.code.replaceAll('/* @__PURE__ */ ', '').trim()
  // The page goes on whatever a browser or another script lacks.
  return `try{${code}}catch{}\n`
}
