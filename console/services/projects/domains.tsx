import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Domain } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { Failed } from '../../frame/problems.tsx'
import { useParam } from '../../frame/search.ts'
import { Sheet } from '../../frame/sheet.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { DomainStatus } from './details.tsx'
import { DomainDetails } from './domain.tsx'

const WITHIN = [{ label: 'Projects', path: 'projects' }]

export function Domains() {
  const { slug = '' } = useParams({ strict: false }) as { slug?: string }
  const project = useQuery({
    queryKey: ['projects', 'one', slug],
    queryFn: ({ signal }) => stoa.getProject({ slug }, { signal }),
  })
  useCode('listDomains', 'GET', '/v1/projects/{slug}/domains', { slug })
  if (project.error) {
    return (
      <Sheet title={slug} within={WITHIN}>
        <Failed error={project.error} reset={() => void project.refetch()} />
      </Sheet>
    )
  }
  return (
    <List
      title={project.data?.name ?? slug}
      within={WITHIN}
      about="Domains of this project. Pages of a host may call Stoa when a TXT record proves that it is yours."
      noun={['domain', 'domains']}
      query={pages(['domains', slug], (after, options) => stoa.listDomains({ slug, ...after }, options))}
      idOf={({ host }) => host}
      columns={COLUMNS}
      create="Attach domain"
      creation={onClose => <AttachDomain slug={slug} onClose={onClose} />}
      details={(domain, steps) => <DomainDetails key={domain.host} slug={slug} of={domain} {...steps} />}
      empty={{
        icon: 'globe',
        title: 'No domain yet',
        says: 'Attach the host of your pages, such as shop.example.com, so that browsers let them call Stoa.',
      }}
    />
  )
}

const COLUMNS: Column<Domain>[] = [
  { head: 'Host', className: 'p1', cell: ({ host }) => host },
  { head: 'Status', className: 'p2', cell: domain => <DomainStatus of={domain} /> },
  {
    head: 'TXT record',
    className: 'p3 low fill',
    cell: ({ records: [record] }) => <span className="mono">{record?.name}</span>,
  },
  { head: 'Attached', className: 'r p4', cell: ({ created }) => <Time at={created} /> },
]

function AttachDomain({ slug, onClose }: { slug: string; onClose: () => void }) {
  const [, setOpen] = useParam('open')
  const attach = useChange({
    run: ({ host }: { host: string }) => stoa.attachDomain({ slug, host: host.trim() }),
    changes: [['domains', slug]],
    onDone: ({ host }) => setOpen(host, true), // Its record is the next step.
    showsErrors: true,
  })
  return (
    <FormDrawer
      title="Attach a domain"
      action="Attach domain"
      operation="attachDomain"
      fields={[{ path: 'host', label: 'Domain' }]}
      change={attach}
      onClose={onClose}
    >
      <p className="muted">
        You get a TXT record to add at your DNS provider. The domain is pending until it is found.
      </p>
    </FormDrawer>
  )
}
