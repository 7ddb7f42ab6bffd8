// Reads a self-published geofeed by RFC 8805: network, country, region, city and postal code. Only network and country
// are kept; the other fields change more often than they help.
import { openNetworkCollector } from './networks.ts'
import type { Parsed, Value } from './source.ts'
import { rowsOf } from './text.ts'

const COUNTRY = /^[A-Z]{2}$/

export function parseGeofeed(text: string, value: Value): Parsed {
  const networks = openNetworkCollector()
  // A feed may have hundreds of thousands of rows and has few countries: rows of one country share one value.
  const values = new Map<string, Value>([['', value]])
  for (const row of rowsOf(text)) {
    const [network = '', country = ''] = row.split(',', 2)
    const region = unquoted(country).toUpperCase()
    if (region !== '' && !COUNTRY.test(region)) networks.bad(row)
    else networks.add(unquoted(network), valueIn(region))
  }
  return networks.done()

  function valueIn(region: string): Value {
    const known = values.get(region)
    if (known) return known
    const made = { ...value, region }
    values.set(region, made)
    return made
  }
}

/** Neither a network nor a country has a comma or a quote inside, so quotes can only stand around them. */
function unquoted(cell: string): string {
  const text = cell.trim()
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).trim() : text
}
