import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreateWorkspaceTokenOutput, Workspace } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Id } from '../../parts/copy.tsx'
import { DoneFoot, Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Secret } from '../../parts/secret.tsx'
import { Time } from '../../parts/time.tsx'

export function WorkspaceDetails({ of, ...steps }: { of: Workspace } & Steps) {
  const { data: person } = useQuery(me)
  const [asks, setAsks] = useState<'token' | 'delete' | null>(null)
  const remove = useChange({
    run: () => stoa.deleteWorkspace({ id: of.id }),
    changes: [['workspaces']],
    done: () => `Workspace ${of.name} deleted`,
    onDone: steps.onClose,
  })
  if (asks === 'token') return <Token of={of} onClose={() => setAsks(null)} />
  const foot = person && manages(person) && (
    <>
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks('delete')}>
        <Icon name="trash" />
        Delete…
      </button>
      <span className="right">
        <button type="button" className="btn" data-kind="primary" onClick={() => setAsks('token')}>
          <Icon name="key" />
          Issue token
        </button>
      </span>
    </>
  )
  return (
    <>
      <Drawer title={of.name} sub={<Id text={of.id} show />} foot={foot} {...steps}>
        <Facts of={{ Created: <Time at={of.created} /> }} />
        <section>
          <h3>What its tokens may do</h3>
          <ul className="may">
            <li>Write page views, errors, clicks and inputs. Addresses, ids and amounts are removed from them.</li>
            <li>Read the errors that tokens of this workspace wrote.</li>
          </ul>
        </section>
      </Drawer>
      {asks === 'delete' && (
        <Confirm
          title={`Delete ${of.name}?`}
          action="Delete workspace"
          type={of.name}
          onNo={() => setAsks(null)}
          onYes={remove.mutate}
        >
          <p>All of its tokens end now, and pages with them can no longer send events. The events they wrote stay.</p>
        </Confirm>
      )}
    </>
  )
}

/** Tokens are not listed: each is shown once. */
function Token({ of, onClose }: { of: Workspace; onClose: () => void }) {
  const issue = useChange({
    run: (input: { expires?: string }) => stoa.createWorkspaceToken({ id: of.id, ...input }),
    changes: [],
    showsErrors: true,
  })
  if (issue.data) return <Issued made={issue.data} onClose={onClose} />
  return (
    <FormDrawer
      title={`Token for ${of.name}`}
      action="Issue token"
      operation="createWorkspaceToken"
      fields={[{ path: 'expires', label: 'Expires', help: 'At most a year from now; in 30 days if left empty' }]}
      change={issue}
      onClose={onClose}
    >
      <p className="muted">A token cannot be revoked by itself. Deleting the workspace ends all of its tokens.</p>
    </FormDrawer>
  )
}

const Issued = ({ made, onClose }: { made: CreateWorkspaceTokenOutput; onClose: () => void }) => (
  <Drawer
    title="Token issued"
    sub={
      <span className="muted">
        Works until <Time at={made.expires} />
      </span>
    }
    onClose={onClose}
    foot={<DoneFoot onClose={onClose} />}
  >
    <Secret label="Token" text={made.token} />
    <section>
      <h3>First event</h3>
      <CodeBlock samples={firstEvents(made.token)} />
    </section>
  </Drawer>
)

function firstEvents(token: string) {
  const url = `${location.origin}/v1/event`
  const page = `<script type="module">
  await fetch('${url}?ingest_key=${token}', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ event: '$pageview', properties: { $current_url: location.href } }),
  })
</script>`
  const call = `curl ${url} -H "Authorization: Bearer $TOKEN" --json '{"event": "$pageview"}'`
  return [
    { name: 'HTML', code: page },
    { name: 'curl', code: `export TOKEN=${token}\n${call}` },
  ]
}
