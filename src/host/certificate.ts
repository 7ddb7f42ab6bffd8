// The certificate of a host that was given none: signed by an authority made on first start, which people can trust.
import 'reflect-metadata'
import { createPrivateKey, generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import type { Clock, Random } from '../engines/engines.ts'

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
/** Browsers refuse leaves that live longer than about thirteen months. */
const LEAF_DAYS = 390
const RENEW_DAYS = 30
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

type Made = { clock: Clock; random: Random }
export type Certificate = { key: string; cert: string; caFile: string }

/** Reads the certificate in the directory, or makes it: on first start, when the names changed, or when it runs out. */
export async function localCertificate(directory: string, names: string[], made: Made): Promise<Certificate> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  x509.cryptoProvider.set(globalThis.crypto)
  const caFile = join(directory, 'ca.pem')
  const authority = readPair(join(directory, 'ca-key.pem'), caFile) ?? (await makeAuthority(directory, caFile, made))
  const leafFile = join(directory, 'server.pem')
  const held = existsSync(leafFile) ? readFileSync(leafFile, 'utf8') : ''
  const good = isGood(held, authority.cert, names, made.clock.now())
  const pem = good ? held : await makeLeaf(leafFile, authority, names, made)
  return { key: pem, cert: pem, caFile }
}

type Pair = { key: string; cert: string }

/** The key is written first, so a certificate without one was left by nobody of ours. */
function readPair(keyFile: string, certFile: string): Pair | null {
  if (!existsSync(keyFile) || !existsSync(certFile)) return null
  const pair = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  return new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)) ? pair : null
}

function isGood(pem: string, authority: string, names: string[], now: Date): boolean {
  if (pem === '') return false
  const leaf = new X509Certificate(pem)
  return (
    leaf.checkIssued(new X509Certificate(authority)) &&
    leaf.validToDate.getTime() > now.getTime() + RENEW_DAYS * DAY_MS &&
    names.every(name => (isIP(name) ? leaf.checkIP(name) : leaf.checkHost(name)))
  )
}

async function makeAuthority(directory: string, caFile: string, { clock, random }: Made): Promise<Pair> {
  const now = clock.now()
  const keys = newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(random),
    name: `CN=Stoa local authority ${random.token(8)}`,
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + AUTHORITY_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys: await keys.forSigning(),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create((await keys.forSigning()).publicKey),
    ],
  })
  const pair = { key: keys.pem, cert: certificate.toString('pem') }
  writeWhole(join(directory, 'ca-key.pem'), pair.key, 0o600)
  writeWhole(caFile, `${pair.cert}\n`, 0o644)
  return pair
}

async function makeLeaf(file: string, authority: Pair, names: string[], { clock, random }: Made): Promise<string> {
  const now = clock.now()
  const keys = newKeys()
  const { publicKey } = await keys.forSigning()
  const issuer = new x509.X509Certificate(authority.cert)
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: serial(random),
    subject: `CN=${names[0]}`,
    issuer: issuer.subject,
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + LEAF_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    publicKey,
    signingKey: await signingKey(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map(value => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  const pem = `${keys.pem}${leaf.toString('pem')}\n`
  writeWhole(file, pem, 0o600)
  return pem
}

function newKeys() {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' })
  return {
    pem,
    forSigning: async () => ({
      privateKey: await signingKey(pem),
      publicKey: await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
    }),
  }
}

function signingKey(pem: string) {
  const pkcs8 = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign'])
}

/** Sixteen bytes with the top bit clear: a positive number, as RFC 5280 wants it. */
const serial = (random: Random) => `0${random.bytes(16).toString('hex').slice(1)}`

/** A kill in the middle leaves the old file or the new one, never half of one. */
function writeWhole(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}
