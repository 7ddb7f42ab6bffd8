import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ForeignHash } from '../engines.ts'
import { openPasswords } from './passwords.ts'

const passwords = openPasswords(undefined, { memoryCost: 64, timeCost: 1, parallelism: 1 })

function adopted(foreign: ForeignHash): string {
  const given = passwords.adopt(foreign)
  assert.ok('digest' in given, JSON.stringify(given))
  return given.digest
}

const verify = (digest: string, password: string) => passwords.verify('home', digest, password)
const fromHex = (text: string) => Buffer.from(text, 'hex').toString('base64')
const toBase64 = (text: string) => Buffer.from(text).toString('base64')

/** The sample project of github.com/firebase/scrypt. */
const FIREBASE = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
}
const FIREBASE_HASH = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='

/** Published test vectors: the password and its hash. */
const VECTORS: Record<string, [password: string, foreign: ForeignHash]> = {
  'bcrypt, of crypt_blowfish': ['U*U', { hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' }],
  'bcrypt by the name of PHP': ['U*U', { hash: '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' }],
  'argon2id, of its reference implementation': [
    'password',
    { hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc' },
  ],
  'the same with fields, as Keycloak has it': [
    'password',
    {
      hash: 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=',
      ...{ algorithm: 'argon2', salt: toBase64('somesalt'), iterations: 2, memory: 65_536 },
    },
  ],
  'pbkdf2 with SHA-1, of RFC 6070': [
    'password',
    {
      hash: fromHex('4b007901b765489abead49d926f721d065a429c1'),
      ...{ algorithm: 'pbkdf2', salt: toBase64('salt'), iterations: 4_096 },
    },
  ],
  'pbkdf2 with SHA-256, of RFC 7914': [
    'passwd',
    {
      hash: fromHex(
        '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
      ),
      ...{ algorithm: 'pbkdf2-sha256', salt: toBase64('salt'), iterations: 1 },
    },
  ],
  'pbkdf2 with SHA-512, as Keycloak has it': [
    'password',
    {
      hash: fromHex(
        '867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce',
      ),
      ...{ algorithm: 'pbkdf2-sha512', salt: toBase64('salt'), iterations: 1 },
    },
  ],
  'scrypt, of RFC 7914': [
    'pleaseletmein',
    {
      hash: `$scrypt$ln=14,r=8,p=1$${toBase64('SodiumChloride')}$${fromHex(
        '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
      )}`,
    },
  ],
  'scrypt of Firebase': [
    'user1password',
    { hash: FIREBASE_HASH, algorithm: 'firebase-scrypt', salt: '42xEC+ixf3L2lw==', firebase: FIREBASE },
  ],
  'the same as Supabase keeps it': [
    'mytestpassword',
    {
      hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==',
    },
  ],
}

describe('a hash from another system', () => {
  for (const [name, [password, foreign]] of Object.entries(VECTORS)) {
    it(`is verified: ${name}`, async () => {
      const digest = adopted(foreign)
      assert.equal(await verify(digest, password), true)
      assert.equal(await verify(digest, `${password}x`), false)
      assert.equal(passwords.isCurrent(digest), false)
      assert.equal(adopted({ hash: passwords.exported(digest) }), digest, 'it can be adopted again')
    })
  }

  it('is stored without the key of the Firebase project', () => {
    const digest = adopted({ hash: FIREBASE_HASH, algorithm: 'firebase-scrypt', salt: 'AAAA', firebase: FIREBASE })
    assert.ok(!digest.includes(FIREBASE.signerKey.slice(0, 20)) && !digest.includes(FIREBASE_HASH.slice(0, 20)))
  })

  it('is of the text as typed, or with argon2 possibly of its NFKC form', async () => {
    const [typed, normal] = ['caf\u0065\u0301 \ufb01ve', 'caf\u00e9 five']
    const { default: bcrypt } = await import('bcrypt')
    const digest = adopted({ hash: await bcrypt.hash(typed, 4) })
    assert.deepEqual([await verify(digest, typed), await verify(digest, normal)], [true, false])
    const own = adopted({ hash: await passwords.hash('home', normal) })
    assert.deepEqual([await verify(own, typed), await verify(own, normal)], [true, true])
  })

  it('with several blocks of pbkdf2 is verified by the first one, so that a longer one costs no more', async () => {
    const { pbkdf2Sync } = await import('node:crypto')
    const long = pbkdf2Sync('x', 'somesalt', 1_000, 64, 'sha1').toString('base64').replace(/=+$/, '')
    const digest = adopted({ hash: `$pbkdf2$i=1000$c29tZXNhbHQ$${long}` })
    assert.deepEqual([await verify(digest, 'x'), await verify(digest, 'y')], [true, false])
  })

  it('can also come from another Stoa', async () => {
    const own = await passwords.hash('home', 'a long password')
    assert.equal(passwords.isCurrent(own), true)
    const digest = adopted({ hash: passwords.exported(own) })
    assert.equal(await verify(digest, 'a long password'), true)
    assert.equal(passwords.isCurrent(digest), false)
  })

  const HASH = Buffer.alloc(32, 7).toString('base64').replace('=', '')
  const bcryptOf = (cost: string) => `$2b$${cost}$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`

  it('is refused if verifying it would be too expensive, and accepted just below that', () => {
    const [most, costly]: [string[], string[]] = [
      [
        bcryptOf('13'),
        `$argon2id$v=19$m=131072,t=4,p=16$c29tZXNhbHQ$${HASH}`,
        `$scrypt$ln=16,r=8,p=1$c29tZXNhbHQ$${HASH}`,
        `$pbkdf2$i=1400000$c29tZXNhbHQ$${HASH}`,
        `$pbkdf2-sha256$i=700000$c29tZXNhbHQ$${HASH}`,
      ],
      [
        bcryptOf('14'),
        `$argon2id$v=19$m=131073,t=1,p=1$c29tZXNhbHQ$${HASH}`,
        `$argon2id$v=19$m=65536,t=9,p=1$c29tZXNhbHQ$${HASH}`,
        `$argon2id$v=19$m=1024,t=1,p=17$c29tZXNhbHQ$${HASH}`,
        `$scrypt$ln=17,r=8,p=1$c29tZXNhbHQ$${HASH}`,
        `$firebase-scrypt$ln=14,r=33,p=1$c29tZXNhbHQ$${HASH}`,
        `$pbkdf2-sha512$i=600001$c29tZXNhbHQ$${HASH}`,
      ],
    ]
    for (const hash of most) adopted({ hash })
    for (const hash of costly) {
      const refused = passwords.adopt({ hash })
      assert.match('problem' in refused ? refused.problem : '', /too expensive/, hash)
    }
  })

  it('is refused if its format is unknown, and can always be verified otherwise', async () => {
    const unknown: ForeignHash[] = [
      ...['', '$', 'plain', '$1$salt$hash', '$md5$x', '$imported$2b$', '$constructor$i=1$c29tZXNhbHQ$AAAA'].map(
        hash => ({ hash }),
      ),
      { hash: bcryptOf('03') },
      { hash: bcryptOf('10').replace('.E5', '/E5') },
      { hash: `${bcryptOf('10')}x` },
      { hash: `$argon2id$v=18$m=64,t=1,p=1$c29tZXNhbHQ$${HASH}` },
      { hash: `$argon2id$v=19$m=7,t=1,p=1$c29tZXNhbHQ$${HASH}` },
      { hash: `$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$${HASH}` },
      { hash: `$argon2id$v=19$m=64,t=1,p=1,keyid=x$c29tZXNhbHQ$${HASH}` },
      { hash: `$argon2id$v=19$m=64,t=1,p=1$c29t$${HASH}` },
      { hash: '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAA' },
      { hash: `$scrypt$ln=0,r=8,p=1$c29tZXNhbHQ$${HASH}` },
      { hash: `$scrypt$ln=14,r=8$c29tZXNhbHQ$${HASH}` },
      { hash: `$scrypt$ln=16,r=1,p=1$c29tZXNhbHQ$${HASH}` },
      { hash: `$scrypt$ln=17,r=1,p=1$c29tZXNhbHQ$${HASH}` },
      { hash: `$argon2id$v=19$m=0064,t=01,p=1$c29tZXNhbHQ$${HASH}` },
      { hash: `$pbkdf2-sha256$i=01$c29tZXNhbHQ$${HASH}` },
      { hash: `$pbkdf2-sha256$i=0$c29tZXNhbHQ$${HASH}` },
      { hash: `$pbkdf2-sha256$i=1$c29tZXNhbHQ$${HASH}$more` },
      { hash: HASH, algorithm: 'pbkdf2-sha256', salt: 'c29tZXNhbHQ' },
      { hash: HASH, algorithm: 'pbkdf2-sha256', salt: 'no base64!', iterations: 1 },
      { hash: 'no base64!', algorithm: 'argon2', salt: 'c29tZXNhbHQ', iterations: 1, memory: 64 },
      { hash: FIREBASE_HASH, algorithm: 'firebase-scrypt', salt: 'AAAA' },
      { hash: HASH, algorithm: 'firebase-scrypt', salt: 'AAAA', firebase: FIREBASE },
      { hash: HASH, algorithm: 'bcrypt' },
    ]
    for (const foreign of unknown) {
      const refused = passwords.adopt(foreign)
      assert.match('problem' in refused ? refused.problem : '', /unknown format/, JSON.stringify(foreign))
    }
    const long = Buffer.alloc(256, 7).toString('base64').replace('==', '')
    for (const salt of ['c29tZXNhbHQ', long]) {
      for (const bytes of [16, 20, 64]) {
        const hash = Buffer.alloc(bytes, 7).toString('base64')
        for (const start of [
          '$argon2d$v=16$m=8,t=1,p=1',
          '$argon2i$m=64,t=1,p=2',
          '$scrypt$ln=1,r=1,p=1',
          '$pbkdf2$i=1',
        ]) {
          assert.equal(await verify(adopted({ hash: `${start}$${salt}$${hash}` }), 'x\0y'), false)
        }
      }
    }
  })
})
