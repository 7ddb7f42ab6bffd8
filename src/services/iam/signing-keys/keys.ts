// The keys that sign tokens: RS256 for ID tokens, which every client supports, and ES256 for access tokens, which is
// fifteen times faster to sign. They are stored sealed and created on first use.
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Clock, Database, Random, Seal, Tx } from '../../../engines/engines.ts'
import { ADMIN_ORG } from '../../../kit/caller.ts'
import { lock } from '../../../kit/lock.store.ts'
import * as store from './store.ts'

const ALGS = ['RS256', 'ES256'] as const

/** The `alg` of the cookie secret, which is stored with the keys and never rotated. */
const COOKIES = 'cookies'

type Engines = { clock: Clock; random: Random; seal: Seal }
export type Keys = { signing: JWK[]; cookieSecret: string }

/** All published keys, active ones first: oidc-provider signs with the first that fits. */
export async function loadKeys(engines: Engines & { db: Database }, brand: string): Promise<Keys> {
  const { db, clock, seal } = engines
  const rows = await db.transaction(async tx => {
    await lock(tx, lockName(brand))
    const stored = await store.selectSigningKeys(tx, brand, clock.now().toISOString())
    const missing = [...ALGS, COOKIES].filter(alg => !stored.some(key => key.alg === alg))
    for (const alg of missing) await addKey({ ...engines, db: tx }, brand, alg, clock.now())
    return missing.length === 0 ? stored : store.selectSigningKeys(tx, brand, clock.now().toISOString())
  })
  const opened = rows.map(row => ({ ...row, text: seal.unseal(ADMIN_ORG, sealName(row.kid), row.sealed) }))
  return {
    signing: opened
      .filter(({ alg }) => alg !== COOKIES)
      .map(({ kid, alg, text }) => ({ ...JSON.parse(text), kid, alg, use: 'sig' })),
    cookieSecret: opened.find(({ alg }) => alg === COOKIES)?.text as string,
  }
}

/** Longer than clients cache the published keys, so that they know a new key before it signs. */
const PUBLISHED_FIRST_MS = 60 * 60_000
/** Longer than the lifetime of tokens signed with the old key. */
const PUBLISHED_AFTER_MS = 60 * 60_000

/** Publishes new keys, which sign from `signsFrom`. The old keys sign until then and stay published until `retires`. */
export async function rotateKeys(
  engines: Engines & { db: Tx },
  brand: string,
): Promise<{ signsFrom: string; retires: string }> {
  const { db } = engines
  const now = engines.clock.now()
  const signsFrom = new Date(now.getTime() + PUBLISHED_FIRST_MS)
  const retires = new Date(signsFrom.getTime() + PUBLISHED_AFTER_MS).toISOString()
  await lock(db, lockName(brand))
  await store.retireSigningKeys(db, brand, COOKIES, retires)
  for (const alg of ALGS) await addKey(engines, brand, alg, signsFrom)
  return { signsFrom: signsFrom.toISOString(), retires }
}

async function addKey(
  { db, clock, random, seal }: Engines & { db: Tx },
  brand: string,
  alg: string,
  signsFrom: Date,
): Promise<void> {
  const kid = random.token(16)
  const text = alg === COOKIES ? random.token(43) : await privateJwk(alg)
  const sealed = seal.seal(ADMIN_ORG, sealName(kid), text)
  const created = clock.now().toISOString()
  await store.insertSigningKey(db, { kid, brand, alg, sealed, created, signsFrom: signsFrom.toISOString() })
}

async function privateJwk(alg: string): Promise<string> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}

const sealName = (kid: string) => `signing key ${kid}`
const lockName = (brand: string) => `signing keys ${brand}`
