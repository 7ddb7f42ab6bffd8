// The minimum that sends webhooks: undici in a loop, without storage or signatures. Its arguments are the certificate of
// the trusted authority, and the origin of the receiver.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent, request as send } from 'undici'
import { serve } from './serve.ts'
import type { Work } from './webhook-wire.ts'

const [ca = '', origin = ''] = process.argv.slice(2)

async function work(dispatcher: Agent, { paths, count, atOnce, headers, body }: Work): Promise<void> {
  const urls = paths.map(path => origin + path)
  let sent = 0
  const loop = async () => {
    while (sent < count) {
      const url = urls[sent++ % urls.length] as string
      const answer = await send(url, { dispatcher, method: 'POST', headers, body })
      await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
}

serve(async () => {
  const dispatcher = new Agent({ connect: { ca } })
  const server = createServer(async (request, response) => {
    await work(dispatcher, JSON.parse(await text(request)) as Work)
    response.end()
  })
  await new Promise<void>(listening => server.listen({ port: 0, host: '127.0.0.1' }, listening))
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await dispatcher.destroy()
  }
  return { port: (server.address() as AddressInfo).port, close }
})
