// The events about projects and their hosts.
import { Type } from 'typebox'
import { Changed, event } from '../../kit/events.ts'
import { displayName, slug, string } from '../../kit/fields.ts'

const project = { slug: slug("The project's slug"), name: displayName("The project's name") }
export const projectCreated = event('project.created', 'A project was created', project)
export const projectUpdated = event('project.updated', 'A project was changed', { ...project, changed: Changed })
export const projectDeleted = event('project.deleted', 'A project was deleted, and its hosts were detached', project)

const domain = { slug: project.slug, host: string('The host name in lower case and ASCII', 'shop.example.com') }
export const domainAttached = event(
  'project.domain.attached',
  'A host was attached to a project, not yet verified',
  domain,
)
export const domainVerified = event(
  'project.domain.verified',
  'The TXT record of a host was found; its pages may call this service',
  domain,
)
export const domainLost = event(
  'project.domain.lost',
  'A verified host is pending again; its pages may no longer call this service',
  {
    ...domain,
    reason: Type.Enum(['record_missing', 'verified_elsewhere'], {
      description:
        '`record_missing`: the TXT record was not found; `verified_elsewhere`: it was not found, and another project verified the host',
      examples: ['record_missing'],
    }),
  },
)
export const domainDetached = event('project.domain.detached', 'A host was detached from its project', domain)
