// Operations under /v1/projects/{slug}/domains. A host is attached, its TXT record is set by whoever owns it, and once
// that was seen its pages may call this service from a browser.
import { type Static, Type } from 'typebox'
import type { Sql } from '../../engines/engines.ts'
import { nothing } from '../../kit/answer.ts'
import type { OrgId } from '../../kit/caller.ts'
import { Fault, notFound } from '../../kit/fault.ts'
import { slug, timestamp } from '../../kit/fields.ts'
import { lock } from '../../kit/lock/store.ts'
import { operation } from '../../kit/operation.ts'
import { listing, page, paging } from '../../kit/page.ts'
import { Host, nameFrom, ownHostFrom, recordName } from './host-name.ts'
import * as store from './store.ts'

const Slug = slug("The project's slug")

const Domain = Type.Object({
  host: Type.String({ description: 'The name in lower case and ASCII', examples: ['shop.example.com'] }),
  status: Type.Enum(['pending', 'live'], { description: '`live` once it is verified' }),
  verified: Type.Boolean({ description: 'Whether its TXT record was seen' }),
  records: Type.Array(Type.Object({ type: Type.Literal('TXT'), name: Type.String(), value: Type.String() }), {
    description: 'What has to stand in the DNS for the host to be verified, and to stay so',
  }),
  created: timestamp('When it was attached'),
  detail: Type.Optional(Type.String({ description: 'What the check saw, in the answer of one' })),
})

export const listDomains = operation({
  route: 'GET /v1/projects/{slug}/domains',
  summary: "The project's hosts, by name",
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, ...paging },
  output: listing(Domain),
  faults: ['not_found'],
  run: async ({ db, caller: { org } }, { slug, ...asked }) => {
    await requireProject(db, org, slug)
    const found = await page(
      asked,
      (last, count) => store.selectDomains(db, org, slug, last, count),
      ({ host }) => host,
    )
    return { ...found, data: found.data.map(recordOf) }
  },
})

export const attachDomain = operation({
  route: 'POST /v1/projects/{slug}/domains',
  summary: 'Attaches a host to the project, pending until it is verified; attached again, answers what is there',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, host: Host },
  output: Domain,
  status: 201,
  faults: ['not_found', 'conflict'],
  audit: 'domain.attach',
  run: ({ caller, clock, random, write }, { slug, host: text }) => {
    const host = ownHostFrom(text)
    const token = random.token(32)
    return write(async ({ db, record }) => {
      if (!(await store.lockProject(db, caller.org, slug))) throw notFound('project')
      await requireFree(db, caller.org, slug, host)
      const attached = await store.selectDomain(db, caller.org, slug, host)
      if (attached) return recordOf(attached)
      record(`${slug}/${host}`)
      return recordOf(await store.insertDomain(db, caller.org, slug, host, token, clock.now().toISOString()))
    })
  },
})

export const verifyDomain = operation({
  route: 'POST /v1/projects/{slug}/domains/{host}/verify',
  summary: 'Looks for the TXT record; the host is live if it is there, and pending if it is not or no longer',
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
        return { ...recordOf(domain), detail: 'The name servers could not be asked; try again later.' }
      }
      const seen = found.includes(recordValue(domain))
      if (seen) await requireFree(db, caller.org, slug, host)
      const verified = seen ? (domain.verified ?? clock.now().toISOString()) : null
      const answer = { ...recordOf({ ...domain, verified }), detail: whatWasSeen(domain, found) }
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

function whatWasSeen(domain: store.Domain, found: string[]): string {
  const name = recordName(domain.host)
  if (found.includes(recordValue(domain))) return `The TXT record at ${name} is as it should be.`
  if (found.length === 0) return `There is no TXT record at ${name} yet; new ones can take a while to be seen.`
  return `The TXT record at ${name} says something else.`
}

/** Held by whoever verifies or detaches a host. */
const hostLock = (host: string) => `host ${host}`

async function requireProject(db: Sql, org: OrgId, slug: string): Promise<void> {
  if (!(await store.selectProject(db, org, slug))) throw notFound('project')
}

/** A claim blocks nobody; what was verified does. */
async function requireFree(db: Sql, org: OrgId, slug: string, host: string): Promise<void> {
  const holder = await store.selectHolder(db, host)
  if (!holder || (holder.org === org && holder.project === slug)) return
  const where = holder.org === org ? `the project ${holder.project}` : 'another organisation'
  throw new Fault('conflict', {
    message: `${host} is verified for ${where}; it has to be detached there first.`,
    fields: [{ path: 'host', says: 'belongs to another project' }],
  })
}

async function ownDomain(db: Sql, org: OrgId, slug: string, host: string): Promise<store.Domain> {
  await requireProject(db, org, slug)
  const domain = await store.selectDomain(db, org, slug, nameFrom(host))
  if (!domain) throw notFound('domain')
  return domain
}
