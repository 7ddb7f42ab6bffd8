// `npm run dev`: the host, restarted when its source changes, and the console of the working tree with hot reload. Pages come from
// the development server, which passes all other requests to the host. Both have one address, so that signing in works.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { SOURCES } from '../src/console/sources.ts'
import { installTools } from '../src/console/tools.ts'

const { STOA_DEV_PORT = '5173', ...own } = process.env
const { STOA_DATA = 'data', STOA_PORT = '8443' } = own
const address = `https://localhost:${STOA_DEV_PORT}`
const host = `https://localhost:${STOA_PORT}`
const tls = join(STOA_DATA, 'tls')
/** What the host serves besides the pages of the console. */
const OF_HOST = '^/(v1(/|$|\\?)|client/|style\\.css|favicon\\.svg|robots\\.txt)'

installTools()
const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'src/main.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...own, STOA_BASE_URL: address, STOA_CONSOLE: 'off', STOA_PORT },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', code => process.exit(code ?? 1))
while (!(await answers())) await wait(100)

const { createServer } = await import(pathToFileURL(join(SOURCES, 'node_modules/vite/dist/node/index.js')).href)
const pem = readFileSync(join(tls, 'server.pem'))
const server = await createServer({
  configFile: join(SOURCES, 'vite.config.js'),
  server: {
    host: 'localhost',
    port: Number(STOA_DEV_PORT),
    strictPort: true,
    https: { key: pem, cert: pem },
    // The certificate is that of this host, whatever its authority.
    proxy: { [OF_HOST]: { target: host, secure: false } },
  },
})
await server.listen()
process.stdout.write(`\nThe console with hot reload is at ${address}\n`)

/** Whether the host serves requests. */
async function answers(): Promise<boolean> {
  if (!existsSync(join(tls, 'ca.pem'))) return false
  const ca = readFileSync(join(tls, 'ca.pem'))
  return new Promise(resolve => {
    const asked = request(`${host}/v1/health`, { ca }, ({ statusCode }) => resolve(statusCode === 200))
    asked.on('error', () => resolve(false)).end()
  })
}
