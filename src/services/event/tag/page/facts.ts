// What each event says of the page and the browser.
import { type Properties, setting } from './settings.ts'

const keepsQuery = setting('query') !== null
export const keepsHash = setting('hash') !== null

/** An address without what a person may have typed: forms send their fields in the query. Campaigns stay. */
export function cleanAddress(address: string): string | undefined {
  if (!address) return
  const url = new URL(address, document.baseURI)
  if (!url.protocol.startsWith('http')) return url.protocol
  if (!keepsQuery) {
    for (const name of [...url.searchParams.keys()]) if (!name.startsWith('utm_')) url.searchParams.delete(name)
  }
  return url.origin + url.pathname + url.search + (keepsHash ? url.hash : '')
}

/** The first name whose pattern occurs in what the browser says of itself. */
const named = (patterns: Record<string, string>): string | undefined =>
  Object.keys(patterns).find(name => RegExp(patterns[name] as string).test(navigator.userAgent))

const BROWSER = {
  $lib: 'stoa-tag',
  $browser: named({
    Edge: 'Edg',
    Opera: 'OPR',
    'Samsung Internet': 'Samsung',
    Firefox: 'Firefox|FxiOS',
    Chrome: 'Chrom|CriOS',
    Safari: 'Safari',
  }),
  $os: named({
    iOS: 'iP(hone|ad|od)',
    Android: 'Android',
    Windows: 'Windows',
    macOS: 'Mac',
    ChromeOS: 'CrOS',
    Linux: 'Linux',
  }),
  $device_type: named({ tablet: 'iPad|Tablet|Android(?!.*Mobile)', mobile: 'Mobi', desktop: '' }),
  $release: setting('release') ?? undefined,
}

export const facts = (): Properties => ({ ...BROWSER, $current_url: cleanAddress(location.href) })
