// A site of one page: its files, and the page itself at every address below `/o/` and at `/`, `/me` and `/host/…`.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { extname, join } from 'node:path'
import { reply } from '../kit/answer.ts'
import { cookieIn } from '../kit/host/cookies.ts'
import { type Document, documentOf, type FindFile, FOREVER, replyWith, withBrotli } from './files.ts'

export type Site = FindFile

const PAGES = /^\/($|(o|host|me)($|\/))/
/** No inline script or style, no other origin, and no text that becomes markup. Images may be logos of apps. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
const PAGE_HEADERS = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' }
const THEMES = ['', 'light', 'dark'] as const

export function openSite(directory: string): Site {
  const files = new Map<string, Document>()
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name)
    if (statSync(path).isFile() && !/\.(br|txt|html)$/.test(name)) files.set(`/${name}`, fileAt(path))
  }
  const html = readFileSync(join(directory, 'index.html'), 'utf8')
  const pages = new Map(THEMES.map(theme => [theme as string, pageOf(html, theme)]))
  const themed = (headers: IncomingHttpHeaders) =>
    pages.get(cookieIn(headers.cookie ?? '', 'stoa-theme') ?? '') ?? (pages.get('') as Document)
  return (method, path, headers) => {
    if (method !== 'GET' && method !== 'HEAD') return null
    if (PAGES.test(path)) return replyWith(themed(headers), headers)
    const file = files.get(path)
    return file ? replyWith(file, headers) : null
  }
}

/** All names have a digest of the content. */
function fileAt(path: string): Document {
  const { bytes, etag, headers } = documentOf(readFileSync(path), extname(path))
  const forever = { bytes, etag, headers: { ...headers, 'cache-control': FOREVER } }
  const compressed = `${path}.br`
  return existsSync(compressed) ? withBrotli(forever, readFileSync(compressed)) : forever
}

/** With the theme in it, so that nothing flashes. */
function pageOf(html: string, theme: string): Document {
  const text = theme ? html.replace('<html ', `<html data-theme="${theme}" `) : html
  const { bytes, etag, headers } = documentOf(Buffer.from(text), '.html')
  return { bytes, etag, headers: { ...headers, ...PAGE_HEADERS, vary: 'Cookie' } }
}

/** For the pages while there are none. */
export function statusPage(
  method: string,
  path: string,
  { title, says, again }: { title: string; says: string; again: boolean },
): ReturnType<FindFile> {
  if ((method !== 'GET' && method !== 'HEAD') || !PAGES.test(path)) return null
  const refresh = again ? '<meta http-equiv="refresh" content="2">' : ''
  const links = '<ul><li><a href="/v1/account/login">Your account</a></li><li><a href="/v1">The services</a></li></ul>'
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Stoa</title>${refresh}<link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/style.css"></head><body><main><h1>${title}</h1><p>${says}</p>${links}</main></body></html>`
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...PAGE_HEADERS }
  return reply(200, headers, Buffer.from(html))
}
