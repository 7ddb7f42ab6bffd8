// Creates a certificate authority and the certificates it signs.
import 'reflect-metadata'
import { createPrivateKey, generateKeyPairSync, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'
import type { Clock, Random } from '../engines.ts'

export type CertificateEngines = { clock: Clock; random: Random }
export type KeyAndCertificate = { key: string; cert: string }

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
/** Browsers reject server certificates that are valid for longer than 398 days. */
const LEAF_DAYS = 390
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

x509.cryptoProvider.set(globalThis.crypto)

export async function makeAuthority({ clock, random }: CertificateEngines): Promise<KeyAndCertificate> {
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
  return { key: keys.pem, cert: `${certificate.toString('pem')}\n` }
}

export async function makeLeaf(
  authority: KeyAndCertificate,
  names: string[],
  { clock, random }: CertificateEngines,
): Promise<KeyAndCertificate> {
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
  return { key: keys.pem, cert: `${leaf.toString('pem')}\n` }
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

/** 16 bytes with the top bit clear: RFC 5280 requires a positive number. */
const serial = (random: Random) => `0${random.bytes(16).toString('hex').slice(1)}`
