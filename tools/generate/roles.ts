// The page of roles: who may call which operation, from the declarations.
import { isSafe } from '../../src/host/faults.ts'
import type { Section } from '../../src/host/openapi.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { row } from './row.ts'

const WHO = ['member', 'admin', 'owner', 'app', 'customer'] as const
type Who = (typeof WHO)[number]

export function rolesText(sections: readonly Section[]): string {
  const parts = sections.map(({ name, operations }) => {
    const rows = Object.values(operations)
      .filter(({ access }) => access !== 'public')
      .map(operation => row([`\`${operation.method} ${operation.path}\``, ...WHO.map(who => mark(operation, who))]))
    return rows.length === 0 ? [] : [`## ${name || 'The host'}`, HEAD + rows.join('\n')]
  })
  return `${[INTRODUCTION, ...parts.flat()].join('\n\n')}\n`
}

const HEAD = `| operation | ${WHO.join(' | ')} |\n|---|${'---|'.repeat(WHO.length)}\n`

const mark = (operation: Operation, who: Who): string => {
  if (!mayCall(operation, who)) return ''
  return operation.owners !== null && who !== 'owner' ? 'yes, but ¹' : 'yes'
}

function mayCall(operation: Operation, who: Who): boolean {
  const { access, admits, method, issuesCredential, endsCredential } = operation
  if (who === 'customer') return admits.includes('users')
  if (access === 'superadmin') return false
  if (who === 'app') {
    if (access === 'admin' || access === 'person') return false
    const reads = isSafe(method) || access === 'ingest' || admits.includes('apps')
    return reads && !issuesCredential && (!endsCredential || admits.includes('apps'))
  }
  const least = operation.role ?? (access === 'admin' ? 'admin' : 'member')
  return who === 'owner' || least === 'member' || who === least
}

const INTRODUCTION = `<!-- GENERATED from the declarations by \`npm run generate\`; do not edit. -->

# Roles

This page lists who may call which operation. A key acts with the role of the person who created it, narrowed by its limits.
Operations with an empty row are for superadmins, the members of the organisation \`admin\`. Public operations are not listed.

- **member**, **admin** and **owner** are the roles of the team.
- **app** is the token that an app gets when a member signs in to it. It can read, and write events, with the role of a member,
  whatever the person's role. The tokens of an app that an owner marks as \`trusted\` have the person's role.
- **customer** is a user of the organisation's own apps (\`/v1/iam/users\`). Customers can only access their own account.

Members see and change only what is theirs, such as their own keys and sign-ins. Admins see those of all members.

¹ Some changes are reserved for owners, because they concern owners or trusted apps; see the [reference](reference.md).`
