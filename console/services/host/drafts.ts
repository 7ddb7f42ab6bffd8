// A provider's models while they are edited: numbers as they are typed, and what the form does not show as it was.
import type { ProviderModel } from '../../../client/stoa.js'

/** Prices are in units of the currency for a million tokens; the host has hundredths. */
export type Draft = {
  key: number
  was: ProviderModel | null
  id: string
  kind: 'chat' | 'embedding'
  upstream: string
  input: string
  output: string
  cachedInput: string
  outputMax: string
}

let made = 0

const unitsOf = (cents: number | undefined) => (cents === undefined ? '' : String(Number((cents / 100).toFixed(8))))
const centsOf = (units: string) => Number((100 * Number(units)).toFixed(6))

export const draftOf = (was: ProviderModel | null): Draft => ({
  key: ++made,
  was,
  id: was?.id ?? '',
  kind: was?.kind ?? 'chat',
  upstream: was?.upstream ?? '',
  input: unitsOf(was?.price?.input),
  output: unitsOf(was?.price?.output),
  cachedInput: unitsOf(was?.price?.cachedInput),
  outputMax: was?.outputMax === undefined ? '' : String(was.outputMax),
})

/** Without both prices its calls cost nothing. */
export function modelOf({ was, id, kind, upstream, input, output, cachedInput, outputMax }: Draft): ProviderModel {
  const { price, upstream: _, outputMax: __, ...rest } = was ?? { id }
  const { cachedInput: ___, ...otherPrices } = price ?? {}
  const isPriced = input !== '' || output !== ''
  return {
    ...rest,
    id: id.trim(),
    kind,
    ...(upstream.trim() && { upstream: upstream.trim() }),
    ...(outputMax && { outputMax: Number(outputMax) }),
    ...(isPriced && {
      price: {
        ...otherPrices,
        input: centsOf(input),
        output: centsOf(output),
        ...(cachedInput !== '' && { cachedInput: centsOf(cachedInput) }),
      },
    }),
  }
}
