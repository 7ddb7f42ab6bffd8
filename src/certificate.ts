// The certificate of a host that was given none: signed by an authority made on first start, which people can trust.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Made, Pair } from './authority.ts'

/** A certificate with less time than this left is made anew. */
const RENEW_MS = 30 * 86_400_000

export type Certificate = { key: string; cert: string; caFile: string }

/** Reads the certificate in the directory, or makes it: on first start, when the names changed, or when it runs out. */
export async function localCertificate(directory: string, names: string[], made: Made): Promise<Certificate> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const [caFile, keyFile, leafFile] = ['ca.pem', 'ca-key.pem', 'server.pem'].map(name => join(directory, name)) as [
    string,
    string,
    string,
  ]
  const now = made.clock.now()
  let authority = readAuthority(keyFile, caFile, now)
  const held = existsSync(leafFile) ? readFileSync(leafFile, 'utf8') : ''
  if (authority && isGood(held, authority.cert, names, now)) return { key: held, cert: held, caFile }

  // Loaded when needed: the library takes longer to load than a second start takes without it.
  const { makeAuthority, makeLeaf } = await import('./authority.ts')
  if (!authority) {
    authority = await makeAuthority(made)
    writeWhole(keyFile, authority.key, 0o600)
    writeWhole(caFile, authority.cert, 0o644)
  }
  const leaf = await makeLeaf(authority, names, made)
  const pem = leaf.key + leaf.cert
  writeWhole(leafFile, pem, 0o600)
  return { key: pem, cert: pem, caFile }
}

/** The key is written first, so a certificate without one was left by nobody of ours. */
function readAuthority(keyFile: string, certFile: string, now: Date): Pair | null {
  if (!existsSync(keyFile) || !existsSync(certFile)) return null
  const pair = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  try {
    const certificate = new X509Certificate(pair.cert)
    const good = lasts(certificate, now) && certificate.checkPrivateKey(createPrivateKey(pair.key))
    return good ? pair : null
  } catch {
    // People may trust this authority, so it is theirs to say that it can go.
    throw new Error(`${certFile} or ${keyFile} is damaged; put them back, or delete both to make a new authority`)
  }
}

function isGood(pem: string, authority: string, names: string[], now: Date): boolean {
  const leaf = parsed(pem)
  if (!leaf) return false
  return (
    leaf.verify(new X509Certificate(authority).publicKey) &&
    lasts(leaf, now) &&
    names.every(name => (isIP(name) ? leaf.checkIP(name) : leaf.checkHost(name)))
  )
}

/** Null when it is not a key with its certificate: it is made anew then, which nobody notices. */
function parsed(pem: string): X509Certificate | null {
  try {
    const leaf = new X509Certificate(pem)
    return leaf.checkPrivateKey(createPrivateKey(pem)) ? leaf : null
  } catch {
    return null
  }
}

const lasts = (certificate: X509Certificate, now: Date) => certificate.validToDate.getTime() > now.getTime() + RENEW_MS

/** A kill in the middle leaves the old file or the new one, never half of one. */
function writeWhole(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}
