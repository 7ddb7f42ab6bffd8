// Amounts are in hundredths of the currency of the host; below one, four digits are shown.
import { useQuery } from '@tanstack/react-query'
import { stoa } from '../api.ts'

export const balance = { queryKey: ['balance'], queryFn: () => stoa.getBalance() }

export function moneyText(cents: number, currency: string): string {
  const digits = cents !== 0 && Math.abs(cents) < 1 ? 4 : 2
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency, minimumFractionDigits: digits })
  return format.format(cents / 100)
}

export function Money({ cents }: { cents: number }) {
  const { data } = useQuery(balance)
  return <span className="num">{data ? moneyText(cents, data.currency) : (cents / 100).toFixed(2)}</span>
}
