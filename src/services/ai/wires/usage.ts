// What a model call used, as all wires report it.

/** `input` includes `cachedInput` (read from the provider's cache) and `cacheWrite` (written to it), which includes
 *  `cacheWriteHour` (for an hour); `output` includes `reasoning`. */
export type Usage = {
  input: number
  output: number
  cachedInput: number
  cacheWrite: number
  cacheWriteHour: number
  reasoning: number
  /** Images that were generated. */
  images: number
}

export const NO_USAGE: Usage = {
  ...{ input: 0, output: 0, cachedInput: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0, images: 0 },
}
