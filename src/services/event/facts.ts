// What is known of an event from its properties, under the names that SDKs use.
import type { Fact } from '../../engines/engines.ts'
import { isStorable } from '../../kit/storable.ts'
import { RELEASE_NAMES, URL_NAMES } from '../o11y/public.ts'

type Fields = Record<string, unknown>

/** More would not fit into an index. */
const CHARACTERS_MAX = 400

const REFERRER_NAMES = ['$referrer', 'referrer', '$referring_domain']
const COUNTRY_NAMES = ['$geoip_country_code', '$country_code', 'country', '$country']
const DEVICE_NAMES = ['$device_type', 'device_type', 'deviceType']
const BROWSER_NAMES = ['$browser', 'browser']
const SYSTEM_NAMES = ['$os', 'os', '$os_name', 'os_name', 'platform']

/** A page view that nothing led to. */
const DIRECT = '(direct)'

export function eventFacts(properties: Fields, isPageview: boolean): Record<Fact, string | null> {
  const context = fieldsIn(properties.$context)
  const page = fieldsIn(context.page)
  const url = addressOf(textIn(properties, URL_NAMES) ?? textIn(page, ['url']))
  const query = (name: string) => textIn(properties, [name, `$${name}`]) ?? url?.searchParams.get(name) ?? null
  const campaign = fieldsIn(context.campaign)
  const facts = {
    path:
      textIn(properties, isPageview ? ['$pathname', 'path'] : ['$pathname']) ??
      textIn(page, ['path']) ??
      url?.pathname ??
      null,
    source:
      query('utm_source') ??
      textIn(campaign, ['source']) ??
      referrerOf(properties, page, url) ??
      (isPageview ? DIRECT : null),
    campaign: query('utm_campaign') ?? textIn(campaign, ['name']),
    country: textIn(properties, COUNTRY_NAMES) ?? textIn(fieldsIn(context.location), ['country']),
    device:
      textIn(properties, DEVICE_NAMES)?.toLowerCase() ??
      textIn(fieldsIn(context.device), ['type'])?.toLowerCase() ??
      null,
    browser: textIn(properties, BROWSER_NAMES),
    system: textIn(properties, SYSTEM_NAMES) ?? textIn(fieldsIn(context.os), ['name']),
    release: textIn(properties, RELEASE_NAMES) ?? textIn(fieldsIn(context.app), ['version']),
  }
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, cut(value)])) as Record<
    Fact,
    string | null
  >
}

/** The host that led here; none if it is the page's own. */
function referrerOf(properties: Fields, page: Fields, url: URL | null): string | null {
  const text = textIn(properties, REFERRER_NAMES) ?? textIn(page, ['referrer'])
  const host = hostOf(addressOf(text)) ?? (text && HOST.test(text) ? withoutWww(text.toLowerCase()) : null)
  return host === null || host === hostOf(url) ? null : host
}

const HOST = /^[\w-]+(?:\.[\w-]+)+$/
const withoutWww = (host: string) => host.replace(/^www\./, '')
const hostOf = (url: URL | null) => (url === null || url.hostname === '' ? null : withoutWww(url.hostname))
const addressOf = (text: string | null) => (text !== null && URL.canParse(text) ? new URL(text) : null)
/** What an address has percent-encoded may be a text that cannot be stored. */
const cut = (text: string | null) => (text && isStorable(text) ? text.slice(0, CHARACTERS_MAX).toWellFormed() : null)
const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

function textIn(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}
