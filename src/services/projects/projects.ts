// Operations under /v1/projects. A project represents one product of the organisation.

import { Type } from 'typebox'
import { nothing } from '../../kit/answer.ts'
import { conflict, orNotFound } from '../../kit/fault.ts'
import { displayName, slug, timestamp } from '../../kit/fields.ts'
import { listing, page, paging } from '../../kit/page.ts'
import { projectCreated, projectDeleted, projectUpdated } from './events.ts'
import { operation } from './state.ts'
import * as store from './store.ts'
import * as tables from './tables.ts'

const Slug = slug("The project's slug")
const Name = displayName("The project's name")
const Project = Type.Object(
  {
    slug: Slug,
    name: Name,
    created: timestamp('When it was created'),
    updated: timestamp('When it was last changed'),
  },
  { title: 'Project', description: 'One product of the organisation' },
)

export const listProjects = operation({
  route: 'GET /v1/projects',
  summary: "Lists the organisation's projects, by slug",
  access: 'bearer',
  input: paging,
  output: listing(Project),
  run: ({ db, caller }, query) =>
    page(query, (last, count) => store.selectProjects(db, caller.org, last, count), 'slug'),
})

export const createProject = operation({
  route: 'POST /v1/projects',
  summary: 'Creates a project',
  description:
    'The slug is unique in the organisation and does not change. The maximum number of projects is a setting.',
  access: 'bearer',
  input: { slug: Slug, name: Name },
  output: Project,
  status: 201,
  faults: ['conflict'],
  audit: 'project.create',
  emits: projectCreated,
  run: ({ bounds, caller, clock, write }, { slug, name }) =>
    write({ serialize: true }, async ({ db, record, emit }) => {
      const project = await store.insertProject(db, caller.org, slug, name, clock.now().toISOString())
      if (!project)
        throw conflict(`This organisation already has a project ${slug}; choose another slug.`, 'slug', 'is taken')
      await bounds.require(db, tables.projects, caller.org)
      record(slug, { name: { to: name } })
      emit('project.created', { slug, name })
      return project
    }),
})

export const getProject = operation({
  route: 'GET /v1/projects/{slug}',
  summary: 'Returns one project',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug },
  output: Project,
  faults: ['not_found'],
  run: async ({ db, caller }, { slug }) => orNotFound(await store.selectProject(db, caller.org, slug), 'project'),
})

export const updateProject = operation({
  route: 'PATCH /v1/projects/{slug}',
  summary: 'Renames a project',
  description: 'Only the name can be changed. Sending the same name again changes nothing.',
  access: 'bearer',
  project: 'slug',
  input: { slug: Slug, name: Name },
  output: Project,
  faults: ['not_found'],
  audit: 'project.update',
  emits: projectUpdated,
  run: ({ caller, clock, write }, { slug, name }) =>
    write(async ({ db, record, emit }) => {
      await store.lockProject(db, caller.org, slug)
      const before = orNotFound(await store.selectProject(db, caller.org, slug), 'project')
      if (before.name === name) return before
      record(slug, { name: { from: before.name, to: name } })
      emit('project.updated', { slug, name, changed: ['name'] })
      return store.updateProject(db, caller.org, slug, name, clock.now().toISOString())
    }),
})

export const deleteProject = operation({
  route: 'DELETE /v1/projects/{slug}',
  summary: 'Deletes a project and detaches its domains',
  description:
    "It cannot be undone. The project's events, errors, logged model calls and usage stay. Keys that are limited to the project stay too, and can act in a later project with the same slug.",
  access: 'admin',
  project: 'slug',
  input: { slug: Slug },
  output: nothing,
  faults: ['not_found'],
  audit: 'project.delete',
  emits: projectDeleted,
  run: ({ caller, write }, { slug }) =>
    write(async ({ db, record, emit }) => {
      const { name } = orNotFound(await store.deleteProject(db, caller.org, slug), 'project')
      record(slug, { name: { from: name } })
      emit('project.deleted', { slug, name })
    }),
})
