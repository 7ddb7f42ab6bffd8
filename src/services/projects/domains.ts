// Operations under /v1/projects/{slug}/domains. A host is attached, its owner sets a TXT record, and once that record
// was found, the pages of the host may call this service from a browser. The record is checked daily.

import { type Static, Type } from 'typebox'
import type { Clock, Dns, Sql } from '../../engines/engines.ts'
import { nothing } from '../../kit/answer.ts'
import type { OrgId } from '../../kit/caller.ts'
import { conflict, notFound, orNotFound } from '../../kit/fault.ts'
import { integer, slug, string, timestamp } from '../../kit/fields.ts'
import { lock } from '../../kit/lock.store.ts'
import { listing, page, paging, shownAs } from '../../kit/page.ts'
import { MISSED_MAX } from './domain-checks.ts'
import { domainAttached, domainDetached, domainLost, domainVerified } from './events.ts'
import { Host, hostLock, nameFrom, ownableHostFrom, recordName, recordValue } from './host-name.ts'
import { loseHost } from './lost-hosts.ts'
import { operation } from './state.ts'
import * as store from './store.ts'
import * as tables from './tables.ts'

const Slug = slug("The project's slug")

const DnsRecord = Type.Object(
  {
    type: Type.Literal('TXT', { description: 'The type of the record' }),
    name: string('The name of the record', '_stoa-verify.shop.example.com'),
    value: string('What it must contain', 'stoa-verify=4vJ9mWcX2bQeT7yLrK0sZp1n'),
  },
  { title: 'DnsRecord', description: 'A DNS record that the owner of a host creates' },
)

const Domain = Type.Object(
  {
    host: string('The name in lower case and ASCII', 'shop.example.com'),
    status: Type.Enum(['pending', 'live'], { description: '`live` if it is verified' }),
    verified: Type.Boolean({ description: 'Whether its TXT record was found' }),
    records: Type.Array(DnsRecord, {
      description: 'The DNS records that the host needs to become and to stay verified',
    }),
    created: timestamp('When it was attached'),
    missedChecks: Type.Optional(
      integer(
        `How many daily checks in a row did not find the TXT record of a live host; after ${MISSED_MAX} it becomes pending. Absent if the last check found it`,
        1,
      ),
    ),
    detail: Type.Optional(
      string(
        'What the check found; only in the answer of a check',
        'The TXT record at _stoa-verify.shop.example.com is correct.',
      ),
    ),
  },
  { title: 'Domain', description: 'A host name of a project, whose pages may call this service once it is verified' },
)

export const listDomains = operation({
  route: 'GET /v1/projects/{slug}/domains',
  summary: "Lists the project's hosts, by name",
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, ...paging },
  output: listing(Domain),
  faults: ['not_found'],
  run: async ({ db, caller: { org } }, { slug, ...query }) => {
    await requireProject(db, org, slug)
    const found = page(query, (last, count) => store.selectDomains(db, org, slug, last, count), 'host')
    return shownAs(found, recordOf)
  },
})

export const attachDomain = operation({
  route: 'POST /v1/projects/{slug}/domains',
  summary: 'Attaches a host to the project, pending until it is verified; returns the existing one if already attached',
  description:
    'Create the DNS record from the answer, then verify the host. Other projects can attach the host too while it is pending; once verified, it belongs to one project.',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, host: Host },
  output: Domain,
  status: 201,
  faults: ['not_found', 'conflict'],
  audit: 'domain.attach',
  emits: domainAttached,
  run: async ({ bounds, db: reads, dns, caller, clock, random, write }, { slug, host: text }) => {
    const host = ownableHostFrom(text)
    const token = random.token(32)
    const holder = await store.selectHolder(reads, host)
    const found = holder && !isOf(holder, caller.org, slug) ? await lookUp({ dns, clock }, host) : NOT_LOOKED_UP
    return write({ serialize: true }, async ({ db, record, emit }) => {
      await lock(db, `domains of ${caller.org}`)
      if (!(await store.lockProject(db, caller.org, slug))) throw notFound('project')
      await requireFree(db, caller.org, slug, host, found)
      const attached = await store.selectDomain(db, caller.org, slug, host)
      if (attached) return recordOf(attached)
      const domain = await store.insertDomain(db, caller.org, slug, host, token, clock.now().toISOString())
      await bounds.require(db, tables.domains, caller.org)
      record(`${slug}/${host}`, { status: { to: 'pending' } })
      emit('project.domain.attached', { slug, host })
      return recordOf(domain)
    })
  },
})

export const verifyDomain = operation({
  route: 'POST /v1/projects/{slug}/domains/{host}/verify',
  summary: 'Looks up the TXT record; the host becomes live if it is found, and pending if it is missing or was removed',
  description:
    'The answer is 200 in either case; read `verified` and `detail`. The record must stay: it is checked again every day.',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, host: Host },
  output: Domain,
  faults: ['not_found', 'conflict'],
  audit: 'domain.verify',
  emits: { ...domainVerified, ...domainLost },
  run: async (context, { slug, host: text }) => {
    const { db: reads, dns, caller, clock, request, state, write } = context
    const { host } = await ownDomain(reads, caller.org, slug, text)
    const found = await lookUp({ dns, clock }, host)
    const { texts } = found
    return write(async ({ db, record, emit }) => {
      await lock(db, hostLock(host))
      const domain = await ownDomain(db, caller.org, slug, host)
      if (texts === null) {
        return { ...recordOf(domain), detail: 'The name servers could not be reached; try again later.' }
      }
      const at = clock.now().toISOString()
      const isFound = texts.includes(recordValue(domain))
      const former = isFound ? await requireFree(db, caller.org, slug, host, found) : null
      const losing = { ...context, source: state.source, db }
      if (former) await loseHost(losing, former, { what: 'domain.lose', at, requestId: request.id })
      const after = { ...domain, verified: isFound ? (domain.verified ?? at) : null, missed: 0 }
      const answer = { ...recordOf(after), detail: detailOf(domain, texts) }
      if (after.verified !== domain.verified) {
        if (!(await store.updateVerified(db, domain, after.verified))) throw notFound('domain')
        record(`${slug}/${host}`, { status: { from: recordOf(domain).status, to: answer.status } })
        if (isFound) emit('project.domain.verified', { slug, host })
        else emit('project.domain.lost', { slug, host, reason: 'record_missing' })
      } else if (isFound) await store.updateChecked(db, domain, at, 0)
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
  emits: domainDetached,
  run: ({ caller, write }, { slug, host: text }) => {
    const host = nameFrom(text)
    return write(async ({ db, record, emit }) => {
      await lock(db, hostLock(host))
      const domain = await ownDomain(db, caller.org, slug, host)
      await store.deleteDomain(db, domain)
      record(`${slug}/${host}`, { status: { from: recordOf(domain).status } })
      emit('project.domain.detached', { slug, host })
    })
  },
})

function recordOf(domain: store.Domain): Static<typeof Domain> {
  const { host, created, verified, missed } = domain
  const record = { type: 'TXT' as const, name: recordName(host), value: recordValue(domain) }
  const status = verified ? 'live' : 'pending'
  return { host, status, verified: !!verified, records: [record], created, ...(missed > 0 && { missedChecks: missed }) }
}

function detailOf(domain: store.Domain, found: string[]): string {
  const name = recordName(domain.host)
  if (found.includes(recordValue(domain))) return `The TXT record at ${name} is correct.`
  if (found.length === 0) return `There is no TXT record at ${name} yet; new ones can take a while to become visible.`
  return `The TXT record at ${name} has a different value.`
}

const requireProject = async (db: Sql, org: OrgId, slug: string) =>
  orNotFound(await store.selectProject(db, org, slug), 'project')

/** The TXT records of a host, null if no name server answered, and when the look-up began. */
type Found = { texts: string[] | null; since: Date }
const NOT_LOOKED_UP: Found = { texts: null, since: new Date(0) }

async function lookUp({ dns, clock }: { dns: Dns; clock: Clock }, host: string): Promise<Found> {
  const since = clock.now()
  return { texts: await dns.txt(recordName(host)), since }
}

const isOf = (domain: store.Domain, org: OrgId, slug: string) => domain.org === org && domain.project === slug

/** Only a verified host blocks other projects, a pending one does not; and only while its record is there, or the name
 *  servers do not answer. Returns the claim of another project that is verified but whose record is gone. */
async function requireFree(
  db: Sql,
  org: OrgId,
  slug: string,
  host: string,
  { texts, since }: Found,
): Promise<store.Domain | null> {
  const holder = await store.selectHolder(db, host)
  if (!holder || isOf(holder, org, slug)) return null
  // It may have been proved after we looked.
  const proved = holder.missed === 0 ? (holder.checked ?? holder.verified) : holder.verified
  const isNewer = Date.parse(proved ?? '') > since.getTime()
  if (texts !== null && !texts.includes(recordValue(holder)) && !isNewer) return holder
  const where = holder.org === org ? `the project ${holder.project}` : 'another organisation'
  const remedy = `Detach it there first, or remove the TXT record of ${where} at ${recordName(host)}.`
  throw conflict(`${host} is verified for ${where}. ${remedy}`, 'host', 'belongs to another project')
}

async function ownDomain(db: Sql, org: OrgId, slug: string, host: string): Promise<store.Domain> {
  await requireProject(db, org, slug)
  return orNotFound(await store.selectDomain(db, org, slug, nameFrom(host)), 'domain')
}
