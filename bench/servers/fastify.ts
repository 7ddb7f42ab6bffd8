// Fastify as its documentation shows it: a route with schemas for the body and the answer.
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { COLOURS, COUNT_MAX, ECHO_PATH, NAME_LENGTH_MAX, type Order, receiptFor } from './echo.ts'
import { serve } from './serve.ts'

const orderFields = {
  name: { type: 'string', maxLength: NAME_LENGTH_MAX },
  count: { type: 'integer', minimum: 1, maximum: COUNT_MAX },
  price: { type: 'number', minimum: 0 },
  express: { type: 'boolean' },
  colour: { type: 'string', enum: COLOURS },
}
const text = { type: 'string' }
const receiptFields = {
  id: text,
  ...orderFields,
  total: { type: 'number' },
  currency: text,
  status: text,
  note: text,
}
const schema = {
  body: { type: 'object', properties: orderFields, required: Object.keys(orderFields), additionalProperties: false },
  response: { 200: { type: 'object', properties: receiptFields, required: Object.keys(receiptFields) } },
}

serve(async pem => {
  const app = Fastify({ https: { key: pem, cert: pem } })
  app.post<{ Body: Order }>(ECHO_PATH, { schema }, async request => receiptFor(request.body))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    port: (app.server.address() as AddressInfo).port,
    close: async () => void app.close(),
  }
})
