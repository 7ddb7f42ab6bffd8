import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CreateProjectInput, Project } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { Id } from '../../parts/copy.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { ProjectDetails } from './details.tsx'

export function Projects() {
  useCode('listProjects', 'GET', '/v1/projects', {})
  return (
    <List
      title="Projects"
      about="A project is one app, site or environment. Events, errors, model calls and usage record it."
      noun={['project', 'projects']}
      query={pages(['projects', 'list'], (after, options) => stoa.listProjects(after, options))}
      idOf={({ slug }) => slug}
      columns={COLUMNS}
      create="Create project"
      creation={onClose => <CreateProject onClose={onClose} />}
      details={(project, steps) => <ProjectDetails key={project.slug} of={project} {...steps} />}
      empty={{ icon: 'folder', title: 'No project yet', says: 'Create one for each app, site or environment.' }}
    />
  )
}

const COLUMNS: Column<Project>[] = [
  { head: 'Name', className: 'p1', cell: ({ name }) => name },
  { head: 'Slug', className: 'p3', cell: ({ slug }) => <Id text={slug} /> },
  { head: 'Domains', className: 'p2 fill', cell: ({ slug, name }) => <DomainsLink slug={slug} name={name} /> },
  { head: 'Created', className: 'r low', cell: ({ created }) => <Time at={created} /> },
  { head: 'Changed', className: 'r p4', cell: ({ updated }) => <Time at={updated} /> },
]

export function DomainsLink({ slug, name }: { slug: string; name: string }) {
  const { data } = useQuery(me)
  return (
    <Link
      to="/o/$org/$"
      params={{ org: data?.org ?? '', _splat: `projects/${slug}` }}
      aria-label={`Domains of ${name}`}
      onClick={event => event.stopPropagation()} // The row would open.
    >
      Domains
    </Link>
  )
}

function CreateProject({ onClose }: { onClose: () => void }) {
  const create = useChange({
    run: (input: CreateProjectInput) => stoa.createProject(input),
    changes: [['projects']],
    done: ({ name }) => `Project ${name} created`,
    onDone: onClose,
    showsErrors: true,
  })
  return (
    <FormDrawer
      title="Create a project"
      action="Create project"
      operation="createProject"
      fields={[
        { path: 'name', label: 'Name', help: 'As your team calls it' },
        {
          path: 'slug',
          label: 'Slug',
          slugOf: 'name',
          help: 'Names it in calls and events, and cannot be changed: a-z, 0-9 and inner hyphens, at most 40',
        },
      ]}
      change={create}
      onClose={onClose}
    />
  )
}
