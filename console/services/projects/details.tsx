import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Domain, Project } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Form } from '../../parts/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { DomainsLink } from './projects.tsx'

/** More are counted, not named. */
const SHOWN = 5

export function ProjectDetails({ of, ...steps }: { of: Project } & Steps) {
  const { data: person } = useQuery(me)
  const [asks, setAsks] = useState(false)
  const domains = useQuery({
    queryKey: ['domains', of.slug, 'first'],
    queryFn: ({ signal }) => stoa.listDomains({ slug: of.slug, limit: 200 }, { signal }),
  })
  const changes = [['projects']]
  const rename = useChange({
    run: ({ name }: { name: string }) => stoa.updateProject({ slug: of.slug, name }),
    changes,
    done: ({ name }) => `Project renamed to ${name}`,
    showsErrors: true,
  })
  const remove = useChange({
    run: () => stoa.deleteProject({ slug: of.slug }),
    changes, // Not its domains, which are shown until the drawer closes: they no longer exist.
    done: () => `Project ${of.name} deleted`,
    onDone: steps.onClose,
  })
  const foot = (
    <>
      {person && manages(person) && (
        <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks(true)}>
          <Icon name="trash" />
          Delete…
        </button>
      )}
      <span className="right">
        <BusyButton type="submit" form="rename-project" isBusy={rename.isPending}>
          Rename project
        </BusyButton>
      </span>
    </>
  )
  const hosts = domains.data?.data ?? []
  return (
    <>
      <Drawer title={of.name} sub={<Id text={of.slug} show />} foot={foot} {...steps}>
        <Form
          id="rename-project"
          operation="updateProject"
          fields={[{ path: 'name', label: 'Name', help: 'The slug stays the same' }]}
          initial={{ name: of.name }}
          error={rename.error}
          onSubmit={rename.mutate}
        />
        <Facts of={{ Created: <Time at={of.created} />, Changed: <Time at={of.updated} /> }} />
        <section>
          <div className="panel-head">
            <h3>Domains</h3>
            <span className="right">
              <DomainsLink slug={of.slug} name={of.name} />
            </span>
          </div>
          {domains.data && hosts.length === 0 && <p className="muted">None. Pages of a verified host may call Stoa.</p>}
          <ul className="rows">
            {hosts.slice(0, SHOWN).map(domain => (
              <li key={domain.host}>
                <span className="grow cut">{domain.host}</span>
                <DomainStatus of={domain} />
              </li>
            ))}
          </ul>
          {hosts.length > SHOWN && <p className="muted">{`and ${hosts.length - SHOWN} more`}</p>}
        </section>
      </Drawer>
      {asks && (
        <Confirm
          title={`Delete ${of.name}?`}
          action="Delete project"
          type={of.name}
          onNo={() => setAsks(false)}
          onYes={remove.mutate}
        >
          <p>{goesText(hosts.length)} This cannot be undone.</p>
          <p>
            Its events, errors, model calls and usage stay, with the slug {of.slug}. Keys that are limited to it stay
            too: requests with them fail, until a project with this slug exists again.
          </p>
        </Confirm>
      )}
    </>
  )
}

const goesText = (hosts: number) =>
  hosts === 0
    ? 'The project is deleted.'
    : `The project and its ${hosts === 1 ? 'domain' : `${hosts} domains`} are deleted: their pages can no longer call Stoa.`

export const DomainStatus = ({ of: { status, missedChecks } }: { of: Domain }) => {
  if (status === 'pending') return <Status tone="busy">Pending</Status>
  return missedChecks ? <Status tone="warn">{`Live, record missing`}</Status> : <Status tone="success">Live</Status>
}
