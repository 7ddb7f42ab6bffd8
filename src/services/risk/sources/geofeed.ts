// Reads a self-published geofeed (RFC 8805): network, country, region, city and postal code. Only network and country
// are kept; the other fields change too often to be useful.
import { openNetworkCollector } from './networks.ts'
import type { Parsed, Value } from './source.ts'
import { listRows } from './text.ts'

const COUNTRY = /^[A-Z]{2}$/

export function parseGeofeed(text: string, value: Value): Parsed {
  const networks = openNetworkCollector()
  // A feed may have hundreds of thousands of rows but few countries: rows of one country share one value object.
  const values = new Map<string, Value>([['', value]])
  for (const row of listRows(text)) {
    const [network = '', country = ''] = row.split(',', 2)
    const region = unquoted(country).toUpperCase()
    if (region !== '' && !COUNTRY.test(region)) networks.bad(row)
    else networks.add(unquoted(network), valueIn(region))
  }
  return networks.done()

  function valueIn(region: string): Value {
    const known = values.get(region)
    if (known) return known
    const created = { ...value, region }
    values.set(region, created)
    return created
  }
}

/** Networks and countries contain no commas or quotes, so quotes can only be around them. */
function unquoted(cell: string): string {
  const text = cell.trim()
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).trim() : text
}
