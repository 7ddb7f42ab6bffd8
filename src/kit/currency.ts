// The currency of all amounts, for the services that show them.
import { setting } from './setting.ts'

export const currencySettings = {
  STOA_CURRENCY: setting(
    'The currency of all amounts: an ISO 4217 code',
    'USD',
    currency,
    'A name only: nothing is converted',
  ),
}

/** Only the form is checked: the list changes every few years. */
function currency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new Error('must be three upper-case letters, such as USD')
  return text
}
