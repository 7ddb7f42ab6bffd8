// Amounts are in hundredths of the currency of the host; below one, four digits are shown.
import { useQuery } from '@tanstack/react-query'
import { stoa } from '../api.ts'

export const balance = { queryKey: ['balance'], queryFn: () => stoa.getBalance() }

export function moneyText(cents: number, currency: string, isExact = false): string {
  const minimumFractionDigits = cents !== 0 && Math.abs(cents) < 1 ? 4 : 2
  const maximumFractionDigits = isExact ? 4 : minimumFractionDigits
  const format = new Intl.NumberFormat(undefined, {
    ...{ style: 'currency', currency, minimumFractionDigits, maximumFractionDigits },
  })
  return format.format(cents / 100)
}

/** `exact`: with fractions of a cent, as prices have them. */
export function Money({ cents, exact = false }: { cents: number; exact?: boolean }) {
  const { data } = useQuery(balance)
  return <span className="num">{data ? moneyText(cents, data.currency, exact) : (cents / 100).toFixed(2)}</span>
}
