// Operations under /v1/projects/{slug}/domains. A host is attached, its owner sets a TXT record, and once that record
// was found, the pages of the host may call this service from a browser.
import { type Static, Type } from 'typebox'
import type { Sql } from '../../engines/engines.ts'
import { nothing } from '../../kit/answer.ts'
import { requireAtMost } from '../../kit/bound.ts'
import type { OrgId } from '../../kit/caller.ts'
import { Fault, notFound } from '../../kit/fault.ts'
import { slug, timestamp } from '../../kit/fields.ts'
import { lock } from '../../kit/lock/store.ts'
import { listing, page, paging } from '../../kit/page.ts'
import { Host, nameFrom, ownableHostFrom, recordName } from './host-name.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const Slug = slug("The project's slug")

const Domain = Type.Object({
  host: Type.String({ description: 'The name in lower case and ASCII', examples: ['shop.example.com'] }),
  status: Type.Enum(['pending', 'live'], { description: '`live` once it is verified' }),
  verified: Type.Boolean({ description: 'Whether its TXT record was found' }),
  records: Type.Array(Type.Object({ type: Type.Literal('TXT'), name: Type.String(), value: Type.String() }), {
    description: 'The DNS records that the host needs to become and to stay verified',
  }),
  created: timestamp('When it was attached'),
  detail: Type.Optional(Type.String({ description: 'What the check found; only in the answer of a check' })),
})

export const listDomains = operation({
  route: 'GET /v1/projects/{slug}/domains',
  summary: "The project's hosts, by name",
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, ...paging },
  output: listing(Domain),
  faults: ['not_found'],
  run: async ({ db, caller: { org } }, { slug, ...pageInput }) => {
    await requireProject(db, org, slug)
    const found = await page(
      pageInput,
      (last, count) => store.selectDomains(db, org, slug, last, count),
      ({ host }) => host,
    )
    return { ...found, data: found.data.map(recordOf) }
  },
})

export const attachDomain = operation({
  route: 'POST /v1/projects/{slug}/domains',
  summary: 'Attaches a host to the project, pending until it is verified; returns the existing one if already attached',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, host: Host },
  output: Domain,
  status: 201,
  faults: ['not_found', 'conflict'],
  audit: 'domain.attach',
  run: ({ caller, clock, random, state, write }, { slug, host: text }) => {
    const host = ownableHostFrom(text)
    const token = random.token(32)
    return write({ serialize: true }, async ({ db, record }) => {
      await lock(db, `domains of ${caller.org}`)
      if (!(await store.lockProject(db, caller.org, slug))) throw notFound('project')
      await requireFree(db, caller.org, slug, host)
      const attached = await store.selectDomain(db, caller.org, slug, host)
      if (attached) return recordOf(attached)
      const domain = await store.insertDomain(db, caller.org, slug, host, token, clock.now().toISOString())
      const count = await store.countDomains(db, caller.org, state.domainsMax + 1)
      requireAtMost(state.domainsMax, count, 'domains', 'Detach one first.')
      record(`${slug}/${host}`)
      return recordOf(domain)
    })
  },
})

export const verifyDomain = operation({
  route: 'POST /v1/projects/{slug}/domains/{host}/verify',
  summary: 'Looks up the TXT record; the host becomes live if it is found, and pending if it is missing or was removed',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, host: Host },
  output: Domain,
  faults: ['not_found', 'conflict'],
  audit: 'domain.verify',
  run: async ({ db: reads, dns, caller, clock, write }, { slug, host: text }) => {
    const { host } = await ownDomain(reads, caller.org, slug, text)
    const found = await dns.txt(recordName(host))
    return write(async ({ db, record }) => {
      await lock(db, hostLock(host))
      const domain = await ownDomain(db, caller.org, slug, host)
      if (found === null) {
        return { ...recordOf(domain), detail: 'The name servers could not be reached; try again later.' }
      }
      const isFound = found.includes(recordValue(domain))
      if (isFound) await requireFree(db, caller.org, slug, host)
      const verified = isFound ? (domain.verified ?? clock.now().toISOString()) : null
      const answer = { ...recordOf({ ...domain, verified }), detail: detailOf(domain, found) }
      if (verified === domain.verified) return answer
      if (!(await store.updateVerified(db, caller.org, slug, host, verified))) throw notFound('domain')
      record(`${slug}/${host}`, { status: { from: recordOf(domain).status, to: answer.status } })
      return answer
    })
  },
})

export const detachDomain = operation({
  route: 'DELETE /v1/projects/{slug}/domains/{host}',
  summary: 'Detaches a host; its pages may no longer call this service',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, host: Host },
  output: nothing,
  faults: ['not_found'],
  audit: 'domain.detach',
  run: ({ caller, write }, { slug, host: text }) => {
    const host = nameFrom(text)
    return write(async ({ db, record }) => {
      await lock(db, hostLock(host))
      await ownDomain(db, caller.org, slug, host)
      await store.deleteDomain(db, caller.org, slug, host)
      record(`${slug}/${host}`)
    })
  },
})

function recordOf(domain: store.Domain): Static<typeof Domain> {
  const { host, created, verified } = domain
  const record = { type: 'TXT' as const, name: recordName(host), value: recordValue(domain) }
  return { host, status: verified ? 'live' : 'pending', verified: !!verified, records: [record], created }
}

const recordValue = ({ token }: store.Domain) => `stoa-verify=${token}`

function detailOf(domain: store.Domain, found: string[]): string {
  const name = recordName(domain.host)
  if (found.includes(recordValue(domain))) return `The TXT record at ${name} is correct.`
  if (found.length === 0) return `There is no TXT record at ${name} yet; new ones can take a while to become visible.`
  return `The TXT record at ${name} has a different value.`
}

/** The lock for verifying or detaching a host. */
const hostLock = (host: string) => `host ${host}`

async function requireProject(db: Sql, org: OrgId, slug: string): Promise<void> {
  if (!(await store.selectProject(db, org, slug))) throw notFound('project')
}

/** Only a verified host blocks other projects; a pending one does not. */
async function requireFree(db: Sql, org: OrgId, slug: string, host: string): Promise<void> {
  const owner = await store.selectOwner(db, host)
  if (!owner || (owner.org === org && owner.project === slug)) return
  const where = owner.org === org ? `the project ${owner.project}` : 'another organisation'
  throw new Fault('conflict', {
    message: `${host} is verified for ${where}; it must be detached there first.`,
    fields: [{ path: 'host', says: 'belongs to another project' }],
  })
}

async function ownDomain(db: Sql, org: OrgId, slug: string, host: string): Promise<store.Domain> {
  await requireProject(db, org, slug)
  const domain = await store.selectDomain(db, org, slug, nameFrom(host))
  if (!domain) throw notFound('domain')
  return domain
}
