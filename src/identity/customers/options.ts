// Builds the options of the customers' sign-in steps from the directory, the engines and the limits.
import { createHash } from 'node:crypto'
import type { Engines } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { compileCheck } from '../../kit/check.ts'
import { displayName } from '../../kit/fields.ts'
import { type App, type CustomerDirectory, Email } from '../../services/iam/public.ts'
import { openCodeLimiter } from '../password-limiter.ts'
import { thisRequest } from '../request.ts'
import { digestOfEntry } from '../saving.ts'
import { accountUrl, queryFor } from './account-url.ts'
import { lookOf } from './look.ts'
import { accountMails } from './mails.ts'
import type { CheckedCustomer, CustomerOptions } from './steps.ts'
import { english } from './texts.ts'

type Options = {
  engines: Engines
  directory: { customers: CustomerDirectory }
  isDisposable: (org: OrgId, email: string) => Promise<boolean | null>
  onError: (error: unknown) => void
}

const isName = compileCheck(displayName('The name'))
const isAddress = compileCheck(Email)

export async function customerOptions(options: Options): Promise<CustomerOptions['customers']> {
  const { engines, directory, isDisposable, onError } = options
  const { customers } = directory
  const { passwords } = engines
  // Verified for unknown accounts, so that they take as long as existing ones.
  const dummyHash = await passwords.hash('', 'no account has this password')
  const countCode = openCodeLimiter(engines)
  /** Changes with the password. For an account without one, it proves an earlier sign-in. */
  const proofIn = ({ user, password }: { user: string; password: string | null }) =>
    createHash('sha256')
      .update(password ?? user)
      .digest('hex')

  async function check(org: OrgId, email: string, password: string): Promise<CheckedCustomer | null> {
    const [account, next] = await Promise.all([customers.find(org, email), customers.nextPassword(org, email)])
    const stored = account?.password ?? next ?? dummyHash
    const { client, signal } = thisRequest()
    const isRight = await passwords.verifyEvenly({ org, client }, stored, password, signal())
    if (!isRight || !account?.password) return null
    return {
      ...account,
      proof: proofIn({ ...account, password: await currentHash(org, account.user, stored, password) }),
    }
  }

  const hash = (org: OrgId, password: string) => {
    const { client, signal } = thisRequest()
    return passwords.hash({ org, client }, password, signal())
  }

  /** The hash of a correct password. A hash imported from another system is replaced. */
  async function currentHash(org: OrgId, user: string, stored: string, password: string): Promise<string> {
    if (passwords.isCurrent(stored)) return stored
    const digest = await hash(org, password)
    return (await customers.updateHash(org, user, stored, digest)) ? digest : stored
  }

  return {
    look: async ({ org, name, logo, color }: App & { org: OrgId }) => {
      const own = await customers.branding(org)
      return lookOf({ name, logo: logo ?? own.logo, color: color ?? own.color })
    },
    mails: async org => {
      const own = await customers.branding(org)
      return accountMails(lookOf(own), english)
    },
    check,
    proofOf: async (org, email) => {
      const account = await customers.find(org, email)
      return account && proofIn(account)
    },
    countMail: (org, email, browser) => customers.countMail({ org, email, network: thisRequest().client, browser }),
    countCode: () => countCode(thisRequest().client),
    requestCode: ({ uid, ...request }) => customers.requestCode({ ...request, interaction: digestOfEntry(uid) }),
    pending: uid => customers.pending(digestOfEntry(uid)),
    enterCode: (uid, given) => customers.enterCode(digestOfEntry(uid), given),
    signIn: customers.signIn,
    hash,
    isDisposable: async (org, email) => {
      const found = await isDisposable(org, email)
      if (found === null)
        onError(
          new Error(
            `${org}: disposable addresses are accepted because the risk set \`domain\` is stale or unavailable`,
          ),
        )
      return found ?? false
    },
    send: (mail, fromName) => engines.mail.send({ ...mail, fromName }),
    isName: text => text !== '' && isName.passes(text),
    isAddress: text => isAddress.passes(text),
  }
}

type Dressing = Pick<CustomerOptions, 'customers'> & { issuer: string }

/** The look of the pages behind an address-change link; null unless it names an app for customers. */
export async function dressOf({ customers, issuer }: Dressing, app: (App & { org: OrgId }) | null) {
  if (!app) return null
  const { id } = app
  const look = await customers.look(app)
  const mails = accountMails(look, english)
  return { look, texts: english, mails, accountUrl: accountUrl(issuer, id), query: queryFor(id) }
}
