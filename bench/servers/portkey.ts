// Portkey's gateway, started as documented, on a free port of the loopback interface: it has no option for the interface.
// Its argument is the directory where the package is installed.
import { type AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serve } from './serve.ts'

serve(async () => {
  const program = join(process.argv[2] as string, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  process.env.NODE_ENV = 'production'
  process.argv = [process.execPath, program, '--port=0', '--headless']
  const server = listeningServer()
  await import(pathToFileURL(program).href)
  const { port } = (await server).address() as AddressInfo
  return { port, close: async () => void (await server).close() }
})

function listeningServer(): Promise<Server> {
  const { listen } = Server.prototype
  return new Promise(resolve => {
    Server.prototype.listen = function (this: Server, ...args: unknown[]): Server {
      const done = args.find(one => typeof one === 'function') as (() => void) | undefined
      this.once('listening', () => resolve(this))
      return listen.call(this, { port: 0, host: '127.0.0.1', backlog: 1024 }, done)
    }
  })
}
