import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ALIASES, find } from './aliases.ts'

describe('a path below a vendor', () => {
  const cases: [method: string, vendor: string, rest: string, expected: string | null][] = [
    ['POST', 'posthog', '/batch/', 'ingest posthog'],
    ['POST', 'posthog', '/batch', 'ingest posthog'],
    ['POST', 'posthog', 'batch', 'ingest posthog'],
    ['POST', 'posthog', '/e/', 'ingest posthog'],
    ['POST', 'posthog', '/i/v0/e/', 'ingest posthog'],
    ['POST', 'posthog', '', 'ingest posthog'],
    ['POST', 'posthog', '/', 'ingest posthog'],
    ['POST', 'posthog', '/flags/', 'answer'],
    ['POST', 'posthog', '/decide/', 'answer'],
    ['GET', 'posthog', '/flags/definitions', 'answer'],
    ['GET', 'posthog', '/array/pk-1/config', 'answer'],
    ['GET', 'posthog', '/array/pk-1/config.js', 'answer'],
    ['GET', 'posthog', '/api/surveys/', 'answer'],
    ['POST', 'segment', '/v1/batch', 'ingest segment'],
    ['POST', 'segment', '/b', 'ingest segment'],
    ['POST', 'segment', '/t', 'ingest segment track'],
    ['POST', 'segment', '/i', 'ingest segment identify'],
    ['POST', 'segment', '/p', 'ingest segment page'],
    ['POST', 'segment', '/v1/group', 'ingest segment group'],
    ['POST', 'segment', '/m', 'answer'],
    ['POST', 'rudderstack', '/v1/batch', 'ingest segment'],
    ['POST', 'rudderstack', '/v1/screen', 'ingest segment screen'],
    ['POST', 'jitsu', '/api/s/track', 'ingest segment track'],
    ['POST', 'jitsu', '/api/s/s2s/identify', 'ingest segment identify'],
    ['POST', 'amplitude', '', 'ingest amplitude'],
    ['POST', 'amplitude', '/2/httpapi', 'ingest amplitude'],
    ['GET', 'mixpanel', '/track', 'ingest mixpanel'],
    ['POST', 'mixpanel', '/track/', 'ingest mixpanel'],
    ['GET', 'mixpanel', '/engage', 'ingest mixpanel'],
    ['GET', 'mixpanel', '/groups', 'ingest mixpanel'],
    ['GET', 'posthog', '/batch/', null],
    ['PUT', 'mixpanel', '/track', null],
    ['POST', 'posthog', '/array//config', null],
    ['GET', 'posthog', '/array//config', null],
    ['GET', 'posthog', '/array/a/b/config', null],
    ['POST', 'posthog', '/s/', null],
    ['POST', 'posthog', '/batch/x', null],
    ['POST', 'posthog', '/../batch', null],
    ['POST', 'batch', '', null],
    ['POST', 'umami', '/api/send', null],
    ['POST', '__proto__', '', null],
    ['POST', '', '', null],
  ]
  for (const [method, vendor, rest, expected] of cases) {
    it(`${method} ${vendor} ${rest} is ${expected}`, () => {
      const alias = find(vendor, rest, method)
      const hint = alias?.does === 'ingest' ? [alias.hint.wire, alias.hint.type ?? ''] : []
      assert.equal(alias && [alias.does, ...hint].join(' ').trim(), expected)
    })
  }

  it('is the path of each alias, with and without slashes', () => {
    for (const alias of ALIASES) {
      for (const method of alias.methods) {
        const path = alias.path.replace('{token}', 'pk-1')
        for (const rest of [path, `/${path}`, `/${path}/`]) assert.equal(find(alias.vendor, rest, method), alias)
      }
    }
  })

  it('may be anything', () => {
    const vendor = fc.oneof(fc.constantFrom('posthog', 'segment'), fc.string())
    const rest = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('', 'v1', 't', 'array', 'config')).map(all => all.join('/')),
    )
    fc.assert(
      fc.property(vendor, rest, fc.string(), (...request) => {
        find(...request)
      }),
    )
  })
})

it('a fixed answer is JSON, or a script with nothing in it', () => {
  for (const alias of ALIASES) {
    if (alias.does !== 'answer') continue
    if (alias.answer.contentType === 'text/javascript') assert.equal(alias.answer.body, '')
    else assert.equal(typeof JSON.parse(alias.answer.body), 'object')
  }
})
