import assert from 'node:assert/strict'
import { createCipheriv, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { hash as argon2 } from '@node-rs/argon2'
import bcrypt from 'bcrypt'
import { registerApp } from '../../../../test/identity.ts'
import { startImports } from '../../../../test/imports.ts'
import { imports } from './import-job.ts'

const { host, identity, shop, request, read, finished, run } = await startImports()

let count = 0
const newAddress = () => `imported${++count}@example.com`
const passwordOf = (n: number) => `walnut-${n}-desk`
const base64 = (bytes: Buffer) => bytes.toString('base64')
const find = async (email: string, as = host.home.key) =>
  (await host.call(`GET /v1/iam/users?search=${encodeURIComponent(email)}`, { as })).body.data[0]
const storedHash = async (email: string) =>
  (await host.db<{ password: string | null }>`select password from customers where email = ${email}`)[0]?.password

const FIREBASE = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 4,
}

function firebaseHash(password: string) {
  const salt = randomBytes(10)
  const salted = Buffer.concat([salt, Buffer.from(FIREBASE.saltSeparator, 'base64')])
  const key = scryptSync(password, salted, 64, { N: 2 ** FIREBASE.memCost, r: FIREBASE.rounds, p: 1 })
  const cipher = createCipheriv('aes-256-ctr', key.subarray(0, 32), Buffer.alloc(16))
  return { hash: base64(cipher.update(Buffer.from(FIREBASE.signerKey, 'base64'))), salt: base64(salt) }
}

function keycloakHash(algorithm: 'pbkdf2-sha256' | 'pbkdf2-sha512', password: string) {
  const [salt, iterations] = [randomBytes(16), 1_000]
  const hash = base64(pbkdf2Sync(password, salt, iterations, 64, algorithm.slice('pbkdf2-'.length)))
  return { algorithm, hash, salt: base64(salt), iterations }
}

const ARGON2 = { memoryCost: 128, timeCost: 1, parallelism: 1 }

async function keycloakArgon2(password: string) {
  const salt = randomBytes(16)
  const text = await argon2(password, { ...ARGON2, salt })
  const hash = text.split('$').at(-1) as string
  return { algorithm: 'argon2', hash, salt: base64(salt), iterations: 1, memory: 128, parallelism: 1, type: 'id' }
}

/** How each system exports the hash of a password. */
const SYSTEMS: Record<string, (password: string) => Promise<object>> = {
  'Auth0 and Supabase: bcrypt': async password => ({ hash: await bcrypt.hash(password, 4) }),
  'Auth0: bcrypt 2a': async password => ({ hash: await bcrypt.hash(password, await bcrypt.genSalt(4, 'a')) }),
  'Supabase: argon2': async password => ({ hash: await argon2(password, ARGON2) }),
  'Firebase: scrypt': async password => ({ algorithm: 'firebase-scrypt', ...firebaseHash(password) }),
  'Keycloak: pbkdf2 with SHA-256': async password => keycloakHash('pbkdf2-sha256', password),
  'Keycloak: pbkdf2 with SHA-512': async password => keycloakHash('pbkdf2-sha512', password),
  'Keycloak: argon2': keycloakArgon2,
}

/** Published vectors, as their systems export them. */
const VECTORS: [password: string, hash: object][] = [
  ['U*U', { hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' }],
  ['password', { hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc' }],
  [
    'user1password',
    {
      algorithm: 'firebase-scrypt',
      hash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
      salt: '42xEC+ixf3L2lw==',
    },
  ],
  [
    'passwd',
    {
      algorithm: 'pbkdf2-sha256',
      hash: 'VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLxJypzM8Xm2RZkWZLOdd+8xfHG4RbHjC9UJESBB06GXgw==',
      salt: 'c2FsdA==',
      iterations: 1,
    },
  ],
]

describe('an imported customer', () => {
  for (const [system, hashOf] of Object.entries(SYSTEMS)) {
    it(`signs in with the password there was, which is hashed anew: ${system}`, async () => {
      const people = Array.from({ length: 20 }, (_, n) => ({ email: newAddress(), password: passwordOf(n) }))
      const users = await Promise.all(
        people.map(async ({ email, password }) => ({
          email,
          emailVerified: true,
          password: await hashOf(password),
        })),
      )
      const report = await run(users, { firebase: FIREBASE })
      assert.deepEqual([report.added, report.failed, report.data], [20, 0, []])
      for (const [at, person] of people.entries()) {
        const before = await storedHash(person.email)
        assert.match(before ?? '', /^\$imported\$/)
        const first = await shop.signIn(person)
        const now = await storedHash(person.email)
        assert.match(now ?? '', /^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
        assert.equal((await shop.refresh(first.tokens.refresh_token)).status, 200, 'its own session stays')
        if (at > 0) continue
        await shop.signIn(person)
        assert.equal(await storedHash(person.email), now, 'once')
        const wrong = identity.browser()
        const { url } = await shop.begin()
        const refused = await wrong.submit(await wrong.go(url), { ...person, password: 'another-one' })
        assert.equal(refused.status, 401)
      }
    })
  }

  it('signs in with a hash that its system published', async () => {
    const people = VECTORS.map(([password, hash]) => ({ email: newAddress(), password, hash }))
    const users = people.map(({ email, hash }) => ({ email, emailVerified: true, password: hash }))
    const report = await run(users, { firebase: { ...FIREBASE, memCost: 14 } })
    assert.deepEqual([report.added, report.data], [people.length, []])
    for (const person of people) await shop.signIn(person)
  })

  it('stays signed in elsewhere when the hash is replaced', async () => {
    const person = { email: newAddress(), password: passwordOf(1) }
    await run([{ email: person.email, emailVerified: true, password: { hash: await bcrypt.hash(person.password, 4) } }])
    const imported = await storedHash(person.email)
    const first = await shop.signIn(person)
    await host.db`update customers set password = ${imported ?? ''} where email = ${person.email}`
    const second = await shop.signIn(person)
    assert.notEqual(await storedHash(person.email), imported)
    for (const { tokens } of [first, second]) assert.equal((await shop.refresh(tokens.refresh_token)).status, 200)
  })

  it('is known to the browser of the first sign-in, which others cannot lock out', async () => {
    const person = { email: newAddress(), password: passwordOf(1) }
    await run([{ email: person.email, emailVerified: true, password: { hash: await bcrypt.hash(person.password, 4) } }])
    const { browser: known } = await shop.signIn(person)
    const guess = async (browser = identity.browser(), password = 'wrong-password') => {
      const page = await browser.go((await shop.begin({ prompt: 'login' })).url)
      return browser.submit(page, { email: person.email, password }, { 'x-test-address': '10.1.1.1' })
    }
    for (let n = 0; n < 10; n++) await guess()
    assert.equal((await guess(identity.browser(), person.password)).status, 429)
    assert.ok((await guess(known, person.password)).url.startsWith(`${shop.callback}?code=`))
  })

  it('proves the address before the first sign-in, unless the record says that it was proved', async () => {
    const person = { email: newAddress(), password: passwordOf(1) }
    const password = { hash: await bcrypt.hash(person.password, 4) }
    const created = '2019-05-04T12:00:00.000Z'
    const record = {
      email: person.email.toUpperCase(),
      name: 'Ada Lovelace',
      metadata: { plan: 'pro' },
      created,
      password,
    }
    await run([record])
    const { user: _, updated: _at, ...shown } = await find(person.email)
    assert.deepEqual(shown, {
      ...{ email: person.email, name: 'Ada Lovelace', metadata: { plan: 'pro' }, created },
      ...{ emailVerified: false, blocked: false },
    })
    const { url } = await shop.begin()
    const browser = identity.browser()
    const asked = await browser.submit(await browser.go(url), person)
    assert.equal(asked.status, 200)
    assert.match(new URL(asked.url).pathname, /\/enter$/)
    assert.equal(host.mails.at(-1)?.to, person.email)
    assert.equal((await find('lovelace')).email, person.email)
  })

  it('who is blocked cannot sign in', async () => {
    const person = { email: newAddress(), password: passwordOf(1) }
    const password = { hash: await bcrypt.hash(person.password, 4) }
    host.emitted.length = 0
    await run([{ email: person.email, emailVerified: true, blocked: true, password }])
    const { user } = await find(person.email)
    assert.deepEqual(
      host.emitted.map(({ type, tenant, data }) => [type, tenant, data]),
      [
        ['iam.user.created', 'home', { user, email: person.email }],
        ['iam.user.blocked', 'home', { user }],
      ],
    )
    const { url } = await shop.begin()
    const browser = identity.browser()
    assert.equal((await browser.submit(await browser.go(url), person)).status, 403)
  })
})

describe('an import', () => {
  it('reports records that are wrong, and imports the others', async () => {
    const [first, taken, last] = [newAddress(), newAddress(), newAddress()]
    await host.call('POST /v1/iam/users', { body: { email: taken } })
    const cost = `$2b$15$${'C'.repeat(21)}.${'C'.repeat(31)}`
    const metadata = { text: 'x'.repeat(8 * 1024) }
    const password = (hash: string) => ({ email: newAddress(), password: { hash } })
    const users = [
      { email: first },
      ...[17, null, [], { name: 'No address' }, { email: 'nobody' }, { email: newAddress(), plan: 'pro' }],
      ...[
        { email: newAddress(), metadata },
        { email: newAddress(), created: '2999-01-01T00:00:00Z' },
      ],
      ...[password('$1$md5$hash'), password(cost), password(cost.replace('15', '10'))],
      ...[{ email: taken.toUpperCase() }, { email: last }, { email: last, name: 'Again' }],
    ]
    const report = await run(users)
    assert.deepEqual(
      report.data.map(({ line, problem }: { line: number; problem: string }) => `${line} ${problem}`),
      [
        ...['2 invalid', '3 invalid', '4 invalid', '5 invalid', '6 invalid', '7 invalid', '8 invalid', '9 invalid'],
        ...['10 password', '11 password', '13 exists', '15 exists'],
      ],
    )
    const says = new Map(report.data.map(({ line, says }: { line: number; says: string }) => [line, says]))
    assert.deepEqual(
      [2, 5, 6, 7, 8, 9, 10, 11].map(line => says.get(line)),
      [
        'The record must be an object',
        '`email` is required',
        '`email` must be an e-mail address',
        '`plan` is not a field here',
        '`metadata` must take at most 8192 bytes as JSON',
        '`created` must be a time in the past, after 1970',
        '`password.hash` has an unknown format: `$2b$…`, `$argon2id$…` and `$scrypt$…` name theirs, and base64 needs `algorithm` with its fields (`salt`, `iterations`, `memory`; `firebase` next to `users`)',
        '`password.hash` has parameters that make it too expensive to verify',
      ],
    )
    assert.equal(report.data.at(-2).email, taken)
    assert.equal(report.data[3].email, undefined)
    assert.deepEqual([report.total, report.added, report.replaced, report.failed], [15, 3, 0, 12])
    assert.deepEqual([(await find(first)).email, (await find(last)).name], [first, ''])
    assert.equal((await find(taken)).name, '')
  })

  it('refuses a request that has no records or too many, and says in the trail who asked, and nobody else', async () => {
    for (const users of [undefined, [], Array.from({ length: 1_001 }, () => ({}))]) {
      assert.equal((await host.call('POST /v1/iam/users/import', { body: { users } })).status, 400)
    }
    const admin = await host.member(host.home.org, 'admin')
    const { body, headers } = await request([{ email: newAddress() }, {}], {}, admin.key)
    const [entry] = (await host.call('GET /v1/iam/audit?limit=1')).body.data
    assert.deepEqual([entry.what, entry.on, entry.user], ['user.import', body.id, admin.user])
    assert.deepEqual([entry.changes, entry.requestId], [{ records: { to: 2 } }, headers['x-request-id']])
    const report = await finished(body.id)
    assert.equal(report.by, admin.user)
  })

  it('replaces what exists only for an owner who asks for it, and ends the sign-ins', async () => {
    const person = { email: newAddress(), password: passwordOf(1) }
    const hashed = async (password: string) => ({ hash: await bcrypt.hash(password, 4) })
    const record = { email: person.email, emailVerified: true, name: 'Before', password: await hashed(person.password) }
    await run([record])
    const { tokens, claims } = await shop.signIn(person)
    const after = { ...record, name: 'After', metadata: { plan: 'pro' }, password: await hashed(passwordOf(2)) }

    const admin = await host.member(host.home.org, 'admin')
    assert.equal((await request([after], { replace: true }, admin.key)).status, 403)
    assert.equal((await run([after], {}, admin.key)).data[0].problem, 'exists')
    assert.equal((await find(person.email)).name, 'Before')
    assert.equal((await shop.refresh(tokens.refresh_token)).status, 200)

    host.emitted.length = 0
    const other = newAddress()
    const report = await run([after, { email: other }], { replace: true })
    assert.deepEqual([report.added, report.replaced, report.failed], [1, 1, 0])
    const changed = await find(person.email)
    assert.deepEqual(
      [changed.user, changed.name, changed.metadata, changed.emailVerified],
      [claims.sub, 'After', { plan: 'pro' }, true],
    )
    assert.deepEqual(
      host.emitted.filter(({ type }) => type === 'iam.user.updated').map(({ data }) => data),
      [{ user: claims.sub, email: person.email, changed: ['name', 'metadata', 'password'] }],
    )
    assert.equal((await host.call('GET /v1/iam/me', { as: tokens.access_token })).status, 401)
    await assert.rejects(shop.signIn(person))
    await shop.signIn({ ...person, password: passwordOf(2) })

    await run([{ email: person.email, blocked: true }], { replace: true })
    const bare = await find(person.email)
    assert.deepEqual([bare.name, bare.metadata, bare.emailVerified, bare.blocked], ['', {}, false, true])
    assert.equal(await storedHash(person.email), null)
  })

  it('is nothing to another organisation, nor are its customers', async () => {
    const email = newAddress()
    const { id } = await run([{ email }])
    assert.equal((await read(id, host.other.key)).status, 404)
    assert.equal((await read(`${id}x`)).status, 404)
    const theirs = await run([{ email, name: 'Theirs' }], {}, host.other.key)
    assert.deepEqual([theirs.added, theirs.failed], [1, 0])
    assert.equal((await find(email)).name, '')
    assert.equal((await find(email, host.other.key)).name, 'Theirs')
    const member = await host.member(host.home.org, 'member')
    assert.equal((await read(id, member.key)).status, 403)
  })

  it('needs a credential without limits', async () => {
    for (const limits of [{ limit: ['product:iam'] }, { rate: 100 }, { budget: { month: 100, total: 0 } }]) {
      const { key } = (await host.call('POST /v1/account/keys', { body: { name: 'limited', ...limits } })).body
      assert.equal((await request([{ email: newAddress() }], {}, key)).status, 403)
    }
  })

  it('does not name people in its report whose account was deleted', async () => {
    const email = newAddress()
    await run([{ email }])
    const { id } = await run([{ email }])
    assert.equal((await read(id)).body.data[0].email, email)
    const { user } = await find(email)
    assert.equal((await host.call(`DELETE /v1/iam/users/${user}`)).status, 204)
    const [line] = (await read(id)).body.data
    assert.deepEqual([line.problem, line.email], ['exists', undefined])
  })

  it('of ten thousand in ten requests adds each once', async () => {
    const { key } = await host.organisation('large')
    const requests = Array.from({ length: 10 }, (_, n) =>
      Array.from({ length: 1_000 }, (_, at) => ({ email: `many${n * 1_000 + at}@example.com`, name: `Many ${n}` })),
    )
    const answers = await Promise.all(requests.map(users => request(users, {}, key)))
    for (const { status, body } of answers) {
      assert.equal(status, 202)
      const report = await finished(body.id, key)
      assert.deepEqual([report.added, report.failed], [1_000, 0])
    }
    const [row] = await host.db<{ count: number; addresses: number; counted: number }>`select count(*) as count,
      count(distinct email) as addresses, (select count from customer_counts where org = 'large') as counted
      from customers where org = 'large'`
    assert.deepEqual(row, { count: 10_000, addresses: 10_000, counted: 10_000 })
    const left = await host.db`select from customer_import_lines where org = 'large'`
    assert.equal(left.length, 0)
  })

  it('waits until there is room for the next', async () => {
    const { org, key } = await host.organisation('waiting')
    await host.db.transaction(tx => host.jobs.setKey(tx, imports, { key: org, org }, { isPaused: true }))
    const statuses: number[] = []
    for (let n = 0; n < 101; n++) statuses.push((await request([{ email: newAddress() }], {}, key)).status)
    assert.deepEqual([statuses.filter(status => status === 202).length, statuses.at(-1)], [100, 409])
  })
})

describe('wrong passwords', () => {
  it('are verified against one hash, evenly, and without an account against that of the next', async () => {
    const { key } = await host.organisation('timed')
    const more = { people: 'users', signUp: 'closed' }
    const app = await registerApp(host, identity, { app: 'timed', as: key, more })
    const verified: string[] = []
    const { verifyEvenly } = host.engines.passwords
    host.engines.passwords.verifyEvenly = (user, digest, password, signal) => {
      verified.push(digest.slice(0, 10))
      return verifyEvenly(user, digest, password, signal)
    }
    const kindsFor = async (email: string) => {
      verified.length = 0
      const browser = identity.browser()
      const page = await browser.go((await app.begin()).url)
      assert.equal((await browser.submit(page, { email, password: 'wrong-password' })).status, 401)
      return [...verified]
    }
    const [own, imported] = ['own@timed.test', 'imported@timed.test']
    const body = { email: own, password: passwordOf(1), emailVerified: true }
    await host.call('POST /v1/iam/users', { as: key, body })
    await run([{ email: imported, password: { hash: await bcrypt.hash('x', 4) } }], {}, key)
    assert.deepEqual(await kindsFor(own), ['$argon2id$'])
    assert.deepEqual(await kindsFor(imported), ['$imported$'])
    // Whoever has no account is like the next one: so many answers take so long as there are accounts of that kind.
    assert.deepEqual(await kindsFor('a@timed.test'), ['$imported$'])
    assert.deepEqual(await kindsFor('nobody@timed.test'), ['$argon2id$'])
    assert.deepEqual(await kindsFor('z@timed.test'), ['$argon2id$'], 'after the last one')
    host.engines.passwords.verifyEvenly = verifyEvenly
  })
})
