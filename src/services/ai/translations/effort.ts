// Reasoning effort of the chat wire against the thinking budget of the messages wire.

/** Anthropic's least budget. */
export const BUDGET_TOKENS_MIN = 1024

/** Neither vendor publishes a relation. The steps grow by about a factor of two to four, start at Anthropic's least
 *  budget, and with the default answer stay below 32,000 tokens, the least output limit of a model that thinks. */
const BUDGET_TOKENS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 16_384],
  ['xhigh', 20_480],
  ['max', 24_576],
])

/** Undefined for an effort that is not in the table. */
export function budgetOf(effort: string): number | undefined {
  return BUDGET_TOKENS.get(effort)
}

/** Only low, medium and high, because all chat models that reason accept these. */
export function effortOf(budgetTokens: number): 'low' | 'medium' | 'high' {
  if (budgetTokens < (BUDGET_TOKENS.get('medium') as number)) return 'low'
  return budgetTokens < (BUDGET_TOKENS.get('high') as number) ? 'medium' : 'high'
}
