import { useQuery } from '@tanstack/react-query'
import type { CreateWorkspaceInput, Workspace } from '../../../client/stoa.js'
import { manages, me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Id } from '../../parts/copy.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { PeopleTabs } from './tabs.tsx'
import { WorkspaceDetails } from './workspace.tsx'

export function Workspaces() {
  const { data } = useQuery(me)
  useCode('listWorkspaces', 'GET', '/v1/iam/workspaces', {})
  return (
    <List
      title="Workspaces"
      about="A team or partner sends events from its own pages, without data about people or payments."
      noun={['workspace', 'workspaces']}
      query={pages(['workspaces'], (after, options) => stoa.listWorkspaces(after, options))}
      idOf={({ id }) => id}
      columns={COLUMNS}
      top={<PeopleTabs />}
      {...(data && manages(data) && { create: 'Create workspace', creation: onClose => <Create onClose={onClose} /> })}
      details={(workspace, steps) => <WorkspaceDetails of={workspace} {...steps} />}
      empty={{
        icon: 'globe',
        title: 'No workspace yet',
        says: 'Give each partner one of its own: deleting it ends all of its tokens.',
      }}
    />
  )
}

const COLUMNS: Column<Workspace>[] = [
  { head: 'Name', className: 'p1', cell: ({ name }) => name },
  { head: 'Id', className: 'p3', cell: ({ id }) => <Id text={id} /> },
  { head: 'Created', className: 'r p2', cell: ({ created }) => <Time at={created} /> },
]

function Create({ onClose }: { onClose: () => void }) {
  const [, setOpen] = useParam('open')
  const create = useChange({
    run: (input: CreateWorkspaceInput) => stoa.createWorkspace(input),
    changes: [['workspaces']],
    done: ({ name }) => `Workspace ${name} created`,
    onDone: ({ id }) => setOpen(id, true),
    showsErrors: true,
  })
  return (
    <FormDrawer
      title="Create a workspace"
      action="Create workspace"
      operation="createWorkspace"
      fields={[{ path: 'name', label: 'Name', help: 'The team or partner that sends the events' }]}
      change={create}
      onClose={onClose}
    />
  )
}
