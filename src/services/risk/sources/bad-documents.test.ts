import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CATALOGUE } from '../catalogue.ts'
import { Unreadable } from './source.ts'

const fetched = CATALOGUE.filter(({ kind }) => kind === 'fetch').flatMap(({ sources }) => sources)

const PAGE = '<!DOCTYPE html>\n<html>\n<head><title>Error 500</title></head>\n<body>10.0.0.0/8</body>\n</html>\n'
const PROSE = 'Slow down, please.\nThis list may be fetched twice an hour.\nCome back later!\n'

describe('a document that is not in the format of its source', () => {
  for (const [what, text, message] of [
    ['nothing at all', '', /empty/],
    ['blank lines', '\r\n \n\t\n', /empty/],
    ['a byte order mark', '\ufeff', /empty/],
    ['a byte order mark and an end-of-file character', '\ufeff\r\n\x1a\r\n', /empty/],
    ['an end-of-file character', '\x1a', /empty/],
    ['a web page', PAGE, /web page/],
    ['a web page after blank lines', `\n\n  ${PAGE}`, /web page/],
    ['a web page with a byte order mark', `\ufeff${PAGE}`, /web page/],
    ['a web page of as many lines as a list', PAGE.repeat(200), /web page/],
    ['prose', PROSE, /./],
    ['one word', 'Forbidden', /./],
    ['comments only', '# so far\n# nothing\n', /./],
    ['an error as JSON', '{"error":"rate limited","prefixes":"none","regions":{}}', /./],
    ['an array of other values', '[1, null, {}, []]', /./],
    ['an empty array', '[]', /./],
    ['empty lists', '{"prefixes":[],"ipv6_prefixes":[],"regions":[],"addresses":[],"ipv6_addresses":[]}', /./],
    ['null', 'null', /./],
    ['truncated JSON', '[{"pattern": "bot", "url', /./],
    ['only a header', 'Number,Description,Address Block,Name\r\n', /./],
    ['zeros', '\0'.repeat(1_000), /./],
  ] as const) {
    for (const { source, parse } of fetched) {
      it(`is rejected by ${source}: ${what}`, () => {
        assert.throws(
          () => parse?.(text),
          (error: unknown) => error instanceof Unreadable && message.test(error.message) && error.message.length < 250,
        )
      })
    }
  }
})
