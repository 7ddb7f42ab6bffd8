// The URL of an endpoint. Its address is checked here, and again at each connection.
import { type Http, isLocalhost } from '../../engines/engines.ts'
import { invalidField } from '../../kit/check.ts'

export const URL_MAX = 2_048

/** The URL in its normal form, in which every spelling of an address is the same. Raises 400 if events may not be sent
 *  there. `ownUrl` is where clients reach this host. */
export async function requireUrl(http: Http, ownUrl: string, text: string): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url) throw refused('must be a URL, such as https://hooks.example.com/stoa')
  if (url.protocol !== 'https:') throw refused('must begin with https://')
  if (url.username !== '' || url.password !== '') throw refused('must not contain a user name or password')
  if (text.includes('#')) throw refused('must not contain a fragment, which is never sent')
  if (url.port === '0') throw refused('must not have the port 0')
  if (hostOf(url) === hostOf(new URL(ownUrl))) throw refused('must not be the address of Stoa itself')
  if (url.href.length > URL_MAX)
    throw refused(`must have at most ${URL_MAX} characters, counted with non-ASCII ones encoded`)
  if (isLocal(url.hostname) || (await http.isPublic(url.href)) === false) {
    throw refused(
      'must not be or resolve to a private, local or reserved address, unless the operator allows it (STOA_OUTBOUND_ALLOW, such as 127.0.0.1 for development)',
    )
  }
  return url.href
}

/** A trailing dot of a name has no effect. */
const hostOf = ({ hostname, port }: URL) => `${hostname.replace(/\.$/, '')}:${port}`

/** Names that have no public address, whatever the local name servers answer. */
function isLocal(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  // localhost is a loopback address wherever it is looked up, and those may be allowed.
  if (name.startsWith('[') || isLocalhost(name)) return false
  return !name.includes('.') || /\.(local|localdomain|internal|intranet|lan|home\.arpa)$/.test(name)
}

const refused = (says: string) => invalidField('url', says)
