// Reads a plain list: one network or address per line.
import { openNetworkCollector } from './networks.ts'
import type { Parsed, Value } from './source.ts'
import { listRows } from './text.ts'

export function parsePrefixList(text: string, value: Value): Parsed {
  const networks = openNetworkCollector()
  for (const row of listRows(text)) networks.add(row, value)
  return networks.done()
}
