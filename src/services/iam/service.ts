import { service } from '../../kit/service.ts'
import * as apps from './apps/apps.ts'
import * as audit from './audit/audit.ts'
import { joining, memberUpdated, userUpdated } from './events.ts'
import * as invites from './invites/invites.ts'
import { accountPageEvents } from './me/account-page.ts'
import { customerPageEvents } from './me/customer-page.ts'
import * as email from './me/email.ts'
import * as myInvitations from './me/invitations.ts'
import * as me from './me/me.ts'
import * as password from './me/password.ts'
import * as members from './members/members.ts'
import { notices } from './notices.ts'
import * as orgs from './orgs/orgs.ts'
import { purgeAgain, purges } from './orgs/purges.ts'
import * as sessions from './sessions/sessions.ts'
import { iamSettings } from './settings.ts'
import * as signingKeys from './signing-keys/signing-keys.ts'
import { type Keys, openIam } from './state.ts'
import * as tables from './tables.ts'
import * as userExport from './users/export.ts'
import * as userImport from './users/import.ts'
import { importEvents, imports } from './users/import-job.ts'
import { customerSignIn } from './users/sign-in.ts'
import * as toUser from './users/to-user.ts'
import * as users from './users/users.ts'
import * as workspaces from './workspaces/workspaces.ts'

export const iamService = (keys: Keys) =>
  service({
    name: 'iam',
    what: 'Organisations, their members and apps, and the audit trail',
    operations: [
      me,
      password,
      email,
      myInvitations,
      orgs,
      members,
      users,
      toUser,
      userImport,
      userExport,
      invites,
      apps,
      workspaces,
      sessions,
      signingKeys,
      audit,
    ],
    migrations: new URL('migrations/', import.meta.url),
    tables,
    orgSettings: iamSettings,
    schedules: [purgeAgain],
    queues: [notices, purges, imports],
    emits: {
      'the account page': accountPageEvents,
      'the account page of customers': customerPageEvents,
      'the link of an invitation': joining,
      'the link to a new address': { ...memberUpdated, ...userUpdated },
      'the sign-in of customers': customerSignIn,
      'the import of customers': importEvents,
    },
    open: openIam(keys),
  })
