// The work of every server in the host benchmark: reads five fields, and answers about two hundred bytes.

export const ECHO_PATH = '/v1/bench/echo'
export const COLOURS = ['red', 'green', 'blue'] as const
export const NAME_LENGTH_MAX = 64
export const COUNT_MAX = 1_000_000

export type Order = {
  name: string
  count: number
  price: number
  express: boolean
  colour: (typeof COLOURS)[number]
}
export type Receipt = Order & { id: string; total: number; currency: string; status: string; note: string }

export const ORDER: Order = { name: 'Walnut desk', count: 12, price: 349.5, express: true, colour: 'green' }

export function receiptFor({ name, count, price, express, colour }: Order): Receipt {
  return {
    id: 'ord_5Kq0vT2mWcX8',
    name,
    count,
    price,
    express,
    colour,
    total: count * price,
    currency: 'EUR',
    status: 'accepted',
    note: 'It leaves our house tomorrow.',
  }
}

/** The content headers, the same for every server. */
export const contentHeaders = (text: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(text),
})
