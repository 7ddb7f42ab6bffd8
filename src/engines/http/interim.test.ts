import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openHttp } from './http.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'
/** Its body looks like the head of another. */
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-length: ${CONTINUE.length + 5}\r\n\r\n`
let parts: string[] = []
const server = createServer(socket => {
  socket.on('error', () => {})
  socket.on('data', async () => {
    for (const part of parts) {
      socket.write(part)
      await wait(10)
    }
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const http = openHttp({ allow: [] })
after(async () => {
  await http.close()
  server.close()
})

for (const [name, sent] of [
  ['nothing before it', [ANSWER, CONTINUE, 'hello']],
  ['100 before it', [CONTINUE + ANSWER + CONTINUE, 'hello']],
  ['100 and 103 before it, each alone', [CONTINUE, HINTS, ANSWER, `${CONTINUE}hello`]],
  ['100 in pieces', [...CONTINUE, ANSWER, CONTINUE, 'hello']],
  ['100 twice', [CONTINUE + CONTINUE, CONTINUE, `${ANSWER}${CONTINUE}hello`]],
] as const) {
  it(`an answer with ${name} is read, also the next one on the connection`, async () => {
    for (const method of ['POST', 'GET'] as const) {
      parts = [...sent]
      const { status, body } = await http.send({
        ...{ method, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, reach: 'configured' },
        ...{ timeoutMs: 5_000, bodyBytesMax: 1_000, ...(method === 'POST' && { body: 'x' }) },
      })
      let text = ''
      for await (const chunk of body) text += chunk
      assert.deepEqual([status, text], [200, `${CONTINUE}hello`])
    }
  })
}
