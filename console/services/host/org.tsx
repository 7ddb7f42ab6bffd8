// One organisation: facts, renaming, credit, and the progress of its deletion.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Organisation, StoaApiError } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Time } from '../../parts/time.tsx'
import { OrgStatus } from './orgs.tsx'

const PURGE_MS = 5_000
/** Its members are the superadmins; the host does not delete it. */
const ADMIN_ORG = 'admin'

export function OrgDetails({ slug, ...steps }: { slug: string } & Steps) {
  const { data: person } = useQuery(me)
  const [asks, setAsks] = useState<'name' | 'delete' | null>(null)
  const { data, error } = useQuery({
    queryKey: ['org', slug],
    queryFn: ({ signal }) => stoa.getOrg({ slug }, { signal }),
    refetchInterval: ({ state }) => (state.data?.deleted && !state.error ? PURGE_MS : false),
  })
  if (error instanceof StoaApiError && error.status === 404) return <Gone slug={slug} was={data} {...steps} />
  if (!data) {
    return (
      <Drawer title={slug} {...steps}>
        {error ? <Problem error={error} /> : <span className="skeleton" />}
      </Drawer>
    )
  }
  if (asks === 'name') return <Rename of={data} onClose={() => setAsks(null)} />
  return (
    <>
      <Drawer
        title={data.name}
        sub={<OrgStatus of={data} />}
        foot={!data.deleted && <Foot slug={slug} onAsk={setAsks} />}
        {...steps}
      >
        {data.deleted && <Progress of={data} />}
        <Facts
          of={{
            Slug: <Id text={data.slug} show />,
            Created: <Time at={data.created} />,
            Changed: data.updated !== data.created && <Time at={data.updated} />,
            Deleted: data.deleted && <Time at={data.deleted} />,
          }}
        />
        {!data.deleted && person && (
          <section>
            <h3>Billing</h3>
            <p>
              <Link
                to="/o/$org/$"
                params={{ org: person.org, _splat: 'billing' }}
                search={{ open: 'new', org: slug } as never}
              >
                Add credit to {data.name}
              </Link>
            </p>
          </section>
        )}
      </Drawer>
      {asks === 'delete' && <Delete of={data} onNo={() => setAsks(null)} />}
    </>
  )
}

const Foot = ({ slug, onAsk }: { slug: string; onAsk: (what: 'name' | 'delete') => void }) => (
  <>
    {slug !== ADMIN_ORG && (
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => onAsk('delete')}>
        <Icon name="trash" />
        Delete…
      </button>
    )}
    <span className="right">
      <button type="button" className="btn" onClick={() => onAsk('name')}>
        Rename
      </button>
    </span>
  </>
)

/** Nobody waits for it: all access ended with the deletion. */
function Progress({ of: { purge } }: { of: Organisation }) {
  const { tables, empty } = purge ?? { tables: 1, empty: 0 }
  const share = { '--v': `${(100 * empty) / tables}%` } as React.CSSProperties
  return (
    <section>
      <h3>Deletion</h3>
      <div className="progress">
        <div
          className="track"
          role="progressbar"
          aria-label="Tables without its data"
          aria-valuemin={0}
          aria-valuemax={tables}
          aria-valuenow={empty}
          style={share}
        />
        <div className="line">
          <span>
            {empty.toLocaleString()} of {tables.toLocaleString()} tables have none of its data left
          </span>
        </div>
      </div>
      <p className="muted help">
        All access to it has ended. It stays in the list for at least a minute, until a last pass has found nothing.
      </p>
    </section>
  )
}

const Gone = ({ slug, was, ...steps }: { slug: string; was: Organisation | undefined } & Steps) => (
  <Drawer title={was?.name ?? slug} {...steps}>
    <p>
      {was?.deleted
        ? `All data of ${slug} is deleted. The billing journal and the audit trail of admin keep their entries about it.`
        : `There is no organisation ${slug}.`}
    </p>
  </Drawer>
)

function Rename({ of: { slug, name }, onClose }: { of: Organisation; onClose: () => void }) {
  const change = useChange({
    run: (input: { name: string }) => stoa.updateOrg({ slug, ...input }),
    changes: [['orgs'], ['org', slug], ['me']],
    done: made => `${slug} is now named ${made.name}`,
    onDone: onClose,
    showsErrors: true,
  })
  return (
    <FormDrawer
      title={`Name of ${slug}`}
      action="Rename organisation"
      operation="updateOrg"
      fields={[{ path: 'name', label: 'Name', help: 'Its members see it. The slug stays.' }]}
      initial={{ name }}
      change={change}
      onClose={onClose}
    />
  )
}

function Delete({ of: { slug, name }, onNo }: { of: Organisation; onNo: () => void }) {
  const { data } = useQuery({
    queryKey: ['tables', 'of', slug],
    queryFn: ({ signal }) => stoa.listTables({ org: slug }, { signal }),
    gcTime: 0,
  })
  const remove = useChange({
    run: () => stoa.deleteOrg({ slug, confirm: slug }),
    changes: [['orgs'], ['org', slug]],
    done: () => `${name} is being deleted`,
  })
  const counts = data?.tables.flatMap(one => one.organisations.map(({ rows }) => ({ name: one.name, rows }))) ?? []
  const rows = counts.reduce((sum, one) => sum + one.rows, 0)
  const largest = counts.sort((a, b) => b.rows - a.rows).slice(0, 3)
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete organisation"
      type={slug}
      onNo={onNo}
      onYes={() => remove.mutate()}
    >
      <p>
        All access ends now: the keys, sessions and webhooks of its members, and the sign-in of its customers. Its data
        is then deleted. This cannot be undone, and the slug cannot be used again.
      </p>
      <p className="muted">
        {data
          ? `It has ${rows.toLocaleString()} rows in ${counts.length.toLocaleString()} tables, most in ${largest.map(one => `${one.name.replaceAll('_', ' ')} (${one.rows.toLocaleString()})`).join(', ')}.`
          : 'Counting its data…'}
      </p>
    </Confirm>
  )
}
