// The user agents of the most common browsers, the most common first.
import { openCollector } from './collector.ts'
import type { Parsed, Source } from './source.ts'
import { arrayOf, jsonOf } from './text.ts'

export const topAgents: Source = {
  source: 'top-agents',
  basis: 'licence',
  terms: 'MIT (microlinkhq/top-user-agents)',
  origin: 'https://raw.githubusercontent.com/microlinkhq/top-user-agents/master/src/index.json',
  parse,
}

function parse(text: string): Parsed {
  const agents = openCollector('exact')
  const seen = new Set<unknown>()
  for (const [at, agent] of arrayOf(jsonOf(text)).entries()) {
    const name = typeof agent === 'string' ? agent.trim() : agent
    if (seen.has(name)) continue
    seen.add(name)
    // Every user agent has a product and its version; an array of other texts is an error message.
    if (typeof agent !== 'string' || !agent.includes('/')) agents.bad(agent)
    else agents.add(agent, { class: 'common', rank: String(at + 1) })
  }
  return agents.done()
}
