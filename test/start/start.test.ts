import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Agent, request } from 'undici'
import { VERSION } from '../../src/start/version.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres, freePort } from '../external.ts'
import { client, eventsOf, firstRunOf, freshDirectory, killTree, refused, start, up } from '../process.ts'

describe('a start', () => {
  it('answers 503 until everything is open, in the first start and in the next', async t => {
    const data = freshDirectory(t)
    const [port, iamPort] = [await freePort(), await freePort()]
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    t.after(() => dispatcher.destroy())
    for (const _start of ['first', 'second']) {
      const started = start({ STOA_DATA: data, STOA_PORT: String(port), STOA_IAM_PORT: String(iamPort) })
      let isUp = false
      void up(started).then(() => {
        isUp = true
      })
      /** All statuses answered, by URL. */
      const statuses: Record<string, (string | number)[]> = { health: [], projects: [], discovery: [] }
      const poll = async (name: string, url: string, key = '') => {
        try {
          const headers = { authorization: `Bearer ${key}` }
          const { statusCode, headers: response, body } = await request(url, { dispatcher, headers })
          await body.dump()
          statuses[name]?.push(statusCode === 503 ? `503 after ${response['retry-after']}` : statusCode)
        } catch {
          // The port is not open yet.
        }
      }
      for (let last = false; !last; ) {
        last = isUp
        const key = existsSync(join(data, 'first-run.json')) ? firstRunOf(data).home.key : null
        await poll('health', `https://127.0.0.1:${port}/v1/health`)
        if (key) await poll('projects', `https://127.0.0.1:${port}/v1/projects`, key)
        await poll('discovery', `https://127.0.0.1:${iamPort}/.well-known/openid-configuration`)
        await new Promise(done => setTimeout(done, 1))
      }
      for (const [name, answers] of Object.entries(statuses)) {
        assert.deepEqual(
          [...new Set(answers)].filter(one => one !== '503 after 1'),
          [200],
          name,
        )
      }
      started.child.kill('SIGTERM')
      assert.equal(await started.ended, 0)
    }
  })
})

describe('a first start', () => {
  it('creates all data and prints a working command; a later start keeps the data', async t => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    const baseUrl = await up(first)
    const file = firstRunOf(data)
    assert.equal(statSync(join(data, 'first-run.json')).mode & 0o777, 0o600)
    assert.deepEqual(Object.keys(file), ['baseUrl', 'iamUrl', 'ca', 'superadmin', 'home'])
    assert.deepEqual(Object.keys(file.superadmin), ['email', 'password', 'key'])
    assert.deepEqual(Object.keys(file.home).sort(), ['email', 'key', 'org', 'password'])
    assert.equal(file.baseUrl, baseUrl)
    assert.equal(file.home.org, 'home')
    for (const { key } of [file.home, file.superadmin]) assert.match(key, /^sk-[0-9A-Za-z]{49}$/)
    for (const secret of [file.home.key, file.home.password]) {
      assert.ok(!first.output().includes(secret), 'the banner contains no secret')
    }
    assert.ok(first.output().includes(`${baseUrl}/v1/account/login\n             as ${file.home.email}`))
    for (const name of ['ca-key.pem', 'server.pem']) assert.equal(statSync(join(data, 'tls', name)).mode & 0o777, 0o600)

    const command = first.output().split('Try it:')[1]?.trim() as string
    const printed = execFileSync('sh', ['-c', command.replace('curl', 'curl -sS')], { encoding: 'utf8', cwd: '/' })
    assert.deepEqual(JSON.parse(printed), { data: [], next: '' })

    const page = execFileSync('curl', ['-sS', '--cacert', join(data, 'tls/ca.pem'), `${baseUrl}/`], {
      encoding: 'utf8',
    })
    assert.match(page, /<h1>Stoa<\/h1>/)

    const api = client(data, baseUrl, file.home.key)
    assert.equal((await api.call('POST /v1/projects', { slug: 'kept', name: 'Kept' })).status, 201)
    assert.equal((await api.call('POST /v1/iam/invites', { email: 'bea@example.com', role: 'member' })).status, 201)
    const [mail = ''] = readdirSync(join(data, 'mail'))
    const [link = ''] = readFileSync(join(data, 'mail', mail), 'utf8').match(/^https:.*(?=\r$)/m) ?? []
    assert.match(link, new RegExp(`^${file.iamUrl}/sign-in/invitations/\\w{43}$`))
    assert.ok(first.output().includes(`${join(data, 'mail', mail)}\n${link}\n`), first.output())

    const ca = readFileSync(join(data, 'tls/ca.pem'), 'utf8')
    first.child.kill('SIGTERM')
    assert.equal(await first.ended, 0)
    assert.ok(!existsSync(join(data, 'postgres/postmaster.pid')), 'the database stopped too')
    const events = eventsOf(first).filter(({ msg }) => ['starting', 'ready', 'stopping', 'stopped'].includes(msg))
    assert.deepEqual(
      events.map(({ msg, version, baseUrl }) => [msg, version ?? baseUrl]),
      [
        ['starting', VERSION],
        ['ready', baseUrl],
        ['stopping', undefined],
        ['stopped', undefined],
      ],
    )

    assert.equal(eventsOf(first).filter(({ msg }) => msg === 'created the tables').length, 1)
    assert.ok(!eventsOf(first).some(({ msg }) => msg === 'migrating'))

    const second = start({ STOA_DATA: data })
    const again = client(data, await up(second), file.home.key)
    assert.equal((await again.call('GET /v1/projects/kept')).body.name, 'Kept')
    assert.equal(readFileSync(join(data, 'tls/ca.pem'), 'utf8'), ca)
    const { baseUrl: address, iamUrl } = firstRunOf(data)
    assert.deepEqual(firstRunOf(data), { ...file, baseUrl: address, iamUrl })
    assert.notEqual(address, baseUrl)
  })

  it('that was killed between writing its file and committing is completed with the same secrets', async t => {
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data })
    await up(first)
    const { home } = firstRunOf(data)
    await killTree(first, data)
    rmSync(join(data, 'postgres'), { recursive: true })
    const second = start({ STOA_DATA: data })
    const api = client(data, await up(second), home.key)
    assert.equal((await api.call('GET /v1/projects')).status, 200)
    assert.equal(firstRunOf(data).home.key, home.key)
  })
})

describe('the identity origin', () => {
  it('serves every configured brand by its host name, and keeps the issuer of each', async t => {
    const data = freshDirectory(t)
    const shared = { STOA_DATA: data }
    const page = 'http://localhost:3000'
    const started = start({ ...shared, STOA_IAM_URL: 'acme=https://id.acme.test', STOA_OWN_ORIGINS: page })
    const baseUrl = await up(started)
    const { iamUrl } = firstRunOf(data)
    const ca = readFileSync(join(data, 'tls/ca.pem'), 'utf8')
    const dispatcher = new Agent({ connect: { ca, checkServerIdentity: () => undefined } })
    t.after(() => dispatcher.destroy())
    const issuerFor = async (host: string) => {
      const url = `${iamUrl}/.well-known/openid-configuration`
      const { body } = await request(url, { dispatcher, headers: { host } })
      return ((await body.json()) as { issuer: string }).issuer
    }
    for (const url of [`${baseUrl}/v1/health`, `${iamUrl}/.well-known/openid-configuration`]) {
      const { headers, body } = await request(url, { dispatcher, headers: { origin: page } })
      await body.dump()
      assert.equal(headers['access-control-allow-origin'], page, url)
    }
    assert.equal(await issuerFor(new URL(iamUrl).host), iamUrl)
    assert.equal(await issuerFor('id.acme.test'), 'https://id.acme.test')
    assert.equal(await issuerFor('evil.test'), iamUrl, 'an unknown host name gets the default brand')
    const login = await request(`${baseUrl}/v1/account/login`, { dispatcher })
    assert.equal(login.statusCode, 303)
    assert.ok(String(login.headers.location).startsWith(`${iamUrl}/v1/iam/oauth/authorize?client_id=admin-console&`))
    await login.body.dump()
    started.child.kill('SIGTERM')
    await started.ended

    // A local address is replaced by the first real one; after that the issuer is fixed.
    const moved = start({ ...shared, STOA_IAM_URL: 'https://id.example.com,acme=https://id.acme.test' })
    await up(moved)
    moved.child.kill('SIGTERM')
    await moved.ended
    const fixed = /^stoa: STOA_IAM_URL: the issuer is https:\/\/id\.example\.com in this database and cannot become /
    await refused({ ...shared, STOA_IAM_URL: 'https://id.example.org' }, fixed)
    await refused(shared, fixed)
    const ofAcme = /^stoa: STOA_IAM_URL: the issuer of the brand acme is https:\/\/id\.acme\.test in this database/
    await refused({ ...shared, STOA_IAM_URL: 'https://id.example.com,acme=https://id2.acme.test' }, ofAcme)
    const withoutAcme = start({ ...shared, STOA_IAM_URL: 'https://id.example.com' })
    await up(withoutAcme)
  })
})

describe('npm start', () => {
  it('prints the version with --version, and every setting with --help', async () => {
    const run = (flag: string) => execFileSync(process.execPath, ['src/main.ts', flag], { encoding: 'utf8' })
    assert.equal(run('--version'), `${VERSION}\n`)
    const help = run('--help')
    for (const name of ['STOA_DATA', 'DATABASE_URL', 'STOA_RISK_MIRROR', '--help', '--version']) {
      assert.ok(help.includes(name), name)
    }
  })
})

describe('a start that is refused prints the reason in one line and leaves no files', () => {
  for (const [name, value, reason] of [
    ['STOA_PORT', '80443', /^stoa: STOA_PORT="80443": must be a port number/],
    ['STOA_UPSTREAMS', 'nosuch=http://127.0.0.1:1', /^stoa: STOA_UPSTREAMS: there is no service nosuch/],
    ['STOA_HOST', '203.0.113.77', /^stoa: STOA_HOST: .*cannot be listened on/],
    ['STOA_METRICS_HOST', '203.0.113.77', /^stoa: STOA_METRICS_HOST: .*cannot be listened on/],
    ['DATABASE_URL', 'mysql://u:hidden@h/x', /^stoa: DATABASE_URL=(?!.*hidden).*postgres/],
    ['DATABASE_URL', 'postgres://x@127.0.0.1:1/x', /^stoa: DATABASE_URL: .*ECONNREFUSED/],
  ] as const) {
    it(`${name}=${value}`, async t => {
      const data = freshDirectory(t)
      await refused({ STOA_DATA: data, [name]: value }, reason)
      if (name !== 'DATABASE_URL') assert.ok(!existsSync(data))
    })
  }

  it('a port that is in use', async t => {
    const data = freshDirectory(t)
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    await refused({ STOA_DATA: data, STOA_PORT: String(port) }, new RegExp(`^stoa: STOA_PORT: .*:${port} is in use`))
    await refused({ STOA_DATA: data, STOA_METRICS_PORT: String(port) }, /^stoa: STOA_METRICS_PORT: .* is in use/)
    assert.ok(!existsSync(data))
  })

  it('a file that is not a certificate, or a certificate with another key', async t => {
    const data = freshDirectory(t)
    const settings = { STOA_DATA: data, STOA_TLS_CERT: 'package.json', STOA_TLS_KEY: 'package.json' }
    await refused(settings, /^stoa: STOA_TLS_CERT and STOA_TLS_KEY are not a certificate and its key/)
    const tls = process.env.STOA_TEST_TLS as string
    const mixed = { STOA_TLS_CERT: join(tls, 'ca.pem'), STOA_TLS_KEY: join(tls, 'server.pem') }
    await refused({ ...settings, ...mixed }, /^stoa: STOA_TLS_CERT and STOA_TLS_KEY are not/)
    assert.ok(!existsSync(data))
  })

  it('two settings with the same port', async t => {
    const data = freshDirectory(t)
    const settings = { STOA_DATA: data, STOA_PORT: '18443', STOA_METRICS_PORT: '18443' }
    await refused(settings, /^stoa: STOA_PORT and STOA_METRICS_PORT are both 18443/)
    assert.ok(!existsSync(data))
  })

  it('a data directory that is a file', async t => {
    const data = freshDirectory(t)
    writeFileSync(data, '')
    await refused({ STOA_DATA: data }, /^stoa: STOA_DATA: .* is not a directory/)
  })

  it('a data directory that it cannot write to', {
    skip: process.getuid?.() === 0 && 'root can write everywhere',
  }, async t => {
    const data = freshDirectory(t)
    mkdirSync(data)
    chmodSync(data, 0o500)
    await refused({ STOA_DATA: data }, /^stoa: STOA_DATA: .* cannot be written \(EACCES\)/)
  })

  it('a migration that was changed', async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const data = freshDirectory(t)
    const first = start({ STOA_DATA: data, DATABASE_URL: external.url })
    await up(first)
    first.child.kill('SIGTERM')
    await first.ended
    const { openPostgres } = await import('../../src/engines/db/postgres.ts')
    const db = openPostgres({ at: { url: external.url }, connectionsMax: 1, queueMax: 1 })
    await db`update migrations set checksum = 'other' where service = 'iam'`
    await db.close()
    await refused(
      { STOA_DATA: data, DATABASE_URL: external.url },
      /^stoa: iam\/0001-.* was changed after it was applied/,
    )
  })
})

describe('an external PostgreSQL', () => {
  it('serves the same code, and two processes share it', async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const [one, two] = [freshDirectory(t), freshDirectory(t)]
    const shared = { DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64') }
    const processes = [one, two].map(data => start({ STOA_DATA: data, ...shared }))
    const urls = await Promise.all(processes.map(up))
    assert.ok(!readdirSync(one).includes('postgres'), 'no embedded database was created')
    const firsts = [one, two].filter(data => existsSync(join(data, 'first-run.json')))
    assert.equal(firsts.length, 1, 'the organisations were created once')
    const { key } = firstRunOf(firsts[0] as string).home
    const [a, b] = [client(one, urls[0] as string, key), client(two, urls[1] as string, key)]
    assert.equal((await a.call('POST /v1/projects', { slug: 'shared', name: 'Shared' })).status, 201)
    assert.equal((await b.call('GET /v1/projects/shared')).status, 200)
    const third = { STOA_DATA: freshDirectory(t), DATABASE_URL: external.url }
    await refused(third, /^stoa: the secrets in this database were encrypted with another root key; set STOA_ROOT_KEY/)
  })
})

describe('a host whose output nobody reads', () => {
  async function startWith(t: TestContext, sink: 'unread' | number) {
    const data = freshDirectory(t)
    const [port, iamPort] = [String(await freePort()), String(await freePort())]
    const settings = { STOA_DATA: data, STOA_PORT: port, STOA_IAM_PORT: iamPort }
    const started = start(settings, process.cwd(), sink)
    await eventually(
      () => existsSync(join(data, 'first-run.json')),
      exists => exists,
    )
    const api = client(data, `https://localhost:${port}`, firstRunOf(data).home.key)
    await eventually(
      () => api.call('GET /v1/projects').then(answer => answer.status),
      status => status === 200,
    )
    return { started, api }
  }

  it('because the disk is full keeps serving, and stops', async t => {
    const full = openSync('/dev/full', 'w')
    t.after(() => closeSync(full))
    const { started, api } = await startWith(t, full)
    for (const email of ['ada@example.com', 'bea@example.com']) {
      assert.equal((await api.call('POST /v1/iam/invites', { email, role: 'member' })).status, 201)
    }
    for (let n = 0; n < 20; n++) assert.equal((await api.call('GET /v1/nothing')).status, 404)
    started.child.kill('SIGTERM')
    assert.equal(await started.ended, 0)
  })

  it('because the reader of a pipe has paused keeps serving, and stops', async t => {
    const { started, api } = await startWith(t, 'unread')
    for (let n = 0; n < 1_500; n++) assert.equal((await api.call('GET /v1/nothing')).status, 404)
    started.child.kill('SIGTERM')
    assert.equal(await started.ended, 0)
  })
})

describe('a running host', () => {
  it('locks its data directory, and restarts a killed database without losing a write', async t => {
    const data = freshDirectory(t)
    const started = start({ STOA_DATA: data })
    const api = client(data, await up(started), firstRunOf(data).home.key)
    await refused({ STOA_DATA: data }, /^stoa: .* is in use by another Stoa/)
    await refused({ STOA_DATA: join(dirname(data), '.', 'data') }, /in use/)
    assert.equal((await api.call('GET /v1/health')).status, 200)
    await api.call('POST /v1/projects', { slug: 'before', name: 'Before' })
    const postmaster = Number(readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(postmaster, 'SIGKILL')
    let status = 0
    for (let tries = 0; status !== 200 && tries < 300; tries++) {
      await new Promise(done => setTimeout(done, 50))
      status = (await api.call('GET /v1/projects/before')).status
      assert.ok(status === 200 || status === 503, String(status))
    }
    assert.equal(status, 200)
    // Nobody reads its output any more: the link of a mail cannot be printed.
    started.child.stdout?.destroy()
    for (const email of ['ada@example.com', 'bea@example.com']) {
      assert.equal((await api.call('POST /v1/iam/invites', { email, role: 'member' })).status, 201)
    }
    assert.equal((await api.call('GET /v1/health')).status, 200)
    const warnings = eventsOf(started).filter(({ level }) => level === 40)
    assert.ok(warnings.some(({ msg }) => /stopped unexpectedly; restarting/.test(msg)))
  })
})
