// The certificate of a host without a configured one: signed by an authority that is created on the first start.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { CertificateEngines, KeyAndCertificate } from './authority.ts'

/** A certificate is renewed when less than this is left. */
const RENEW_MS = 30 * 86_400_000

export type Certificate = { key: string; cert: string; caFile: string }

/** Reads the certificate in the directory. Creates one on the first start, for new names, or before it expires. */
export async function localCertificate(
  directory: string,
  names: string[],
  engines: CertificateEngines,
): Promise<Certificate> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const [caFile, keyFile, leafFile] = ['ca.pem', 'ca-key.pem', 'server.pem'].map(name => join(directory, name)) as [
    string,
    string,
    string,
  ]
  const now = engines.clock.now()
  let authority = readAuthority(keyFile, caFile, now)
  const existing = existsSync(leafFile) ? readFileSync(leafFile, 'utf8') : ''
  if (authority && isUsable(existing, authority.cert, names, now)) return { key: existing, cert: existing, caFile }

  // Loaded on demand, because loading the library takes longer than the rest of a start.
  const { makeAuthority, makeLeaf } = await import('./authority.ts')
  if (!authority) {
    authority = await makeAuthority(engines)
    writeAtomically(keyFile, authority.key, 0o600)
    writeAtomically(caFile, authority.cert, 0o644)
  }
  const leaf = await makeLeaf(authority, names, engines)
  const pem = leaf.key + leaf.cert
  writeAtomically(leafFile, pem, 0o600)
  return { key: pem, cert: pem, caFile }
}

/** Null if there is none. The key is written first, so that a certificate never lacks its key. */
function readAuthority(keyFile: string, certFile: string, now: Date): KeyAndCertificate | null {
  if (!existsSync(keyFile) || !existsSync(certFile)) return null
  const pair = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  try {
    const certificate = new X509Certificate(pair.cert)
    const usable = isCurrent(certificate, now) && certificate.checkPrivateKey(createPrivateKey(pair.key))
    return usable ? pair : null
  } catch {
    // People may have installed this authority, so only they may replace it.
    throw new Error(`${certFile} or ${keyFile} is damaged; restore them, or delete both to create a new authority`)
  }
}

function isUsable(pem: string, authority: string, names: string[], now: Date): boolean {
  const leaf = parseLeaf(pem)
  if (!leaf) return false
  return (
    leaf.verify(new X509Certificate(authority).publicKey) &&
    isCurrent(leaf, now) &&
    names.every(name => (isIP(name) ? leaf.checkIP(name) : leaf.checkHost(name)))
  )
}

/** Null if it is not a key with its certificate; both are then created again. */
function parseLeaf(pem: string): X509Certificate | null {
  try {
    const leaf = new X509Certificate(pem)
    return leaf.checkPrivateKey(createPrivateKey(pem)) ? leaf : null
  } catch {
    return null
  }
}

const isCurrent = (certificate: X509Certificate, now: Date) =>
  certificate.validToDate.getTime() > now.getTime() + RENEW_MS

/** A kill leaves the old file or the new one, never a truncated one. */
function writeAtomically(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}
