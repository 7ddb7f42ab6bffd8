// Entries of the audit trail in words: the actions, and how each field changed.
import type { AuditEntry } from '../../../client/stoa.js'

/** By the name that the host records; others are shown by this name. */
export const ACTIONS: Record<string, string> = {
  'ai.provider.add': 'Model provider added',
  'ai.provider.delete': 'Model provider deleted',
  'ai.provider.update': 'Model provider changed',
  'app.create': 'App registered',
  'app.delete': 'App deleted',
  'app.secret': 'App secret replaced',
  'app.update': 'App changed',
  'billing.credit.add': 'Credit added',
  'domain.attach': 'Domain attached',
  'domain.detach': 'Domain detached',
  'domain.lapse': 'Domain lapsed',
  'domain.lose': 'Domain lost to another organisation',
  'domain.verify': 'Domain verified',
  'email.change': 'Own address changed',
  'email.request': 'Change of own address requested',
  'event.retry': 'Event sent again',
  'invite.accept': 'Invitation accepted',
  'invite.create': 'Member invited',
  'invite.decline': 'Invitation declined',
  'invite.delete': 'Invitation withdrawn',
  'key.create': 'API key created',
  'key.revoke': 'API key revoked',
  'key.rotate': 'API key rotated',
  'key.update': 'API key changed',
  'mail.read': 'Kept mail read',
  'me.update': 'Own name changed',
  'member.add': 'Member added',
  'member.remove': 'Member removed',
  'member.to_user': 'Member made a customer',
  'member.update': 'Role changed',
  'org.create': 'Organisation created',
  'org.delete': 'Organisation deleted',
  'org.update': 'Organisation renamed',
  'password.change': 'Password changed',
  'password.reset': 'Password reset',
  'project.create': 'Project created',
  'project.delete': 'Project deleted',
  'project.update': 'Project changed',
  'risk.clear': 'Risk override removed',
  'risk.override': 'Risk override set',
  'risk.refresh': 'Risk data refreshed',
  'session.end': 'Sign-in ended',
  'signing-keys.rotate': 'Signing keys rotated',
  'user.create': 'Customer created',
  'user.delete': 'Customer deleted',
  'user.export': 'Customers exported',
  'user.import': 'Customers imported',
  'user.update': 'Customer changed',
  'webhook.create': 'Webhook created',
  'webhook.delete': 'Webhook deleted',
  'webhook.resend': 'Webhook deliveries sent again',
  'webhook.rotate': 'Webhook secret replaced',
  'webhook.update': 'Webhook changed',
  'workspace.create': 'Workspace created',
  'workspace.delete': 'Workspace deleted',
  'workspace.token': 'Workspace token issued',
}

const SETTINGS = '.settings.update'

export function actionText(what: string): string {
  if (what.endsWith(SETTINGS)) return `Settings of ${what.slice(0, -SETTINGS.length)} changed`
  return ACTIONS[what] ?? what
}

/** The name of what was changed, if the entry has it; otherwise its id. */
export function subjectOf({ on, changes = {} }: AuditEntry): string {
  const { name, email } = changes
  const found = name?.to ?? name?.from ?? email?.to ?? email?.from
  return typeof found === 'string' && found !== '' ? found : on
}

export type Change = { field: string; says: string; from?: string; to?: string }

/** Stored in hundredths of the currency. */
const AMOUNTS = new Set(['amount', 'balanceAlert', 'budget', 'spendAlerts'])

/** What was changed, in words. Fields that are empty before and after are left out. */
export function changesOf({ changes = {} }: AuditEntry, money: (cents: number) => string): Change[] {
  return Object.entries(changes).flatMap(([name, { from, to }]): Change[] => {
    const field = fieldText(name)
    const valueText = (value: unknown) => textOf(value, AMOUNTS.has(name) ? money : count)
    if (isEmpty(from) && isEmpty(to)) return []
    if (isEmpty(from)) return [{ field, says: 'set to', to: valueText(to) }]
    if (isEmpty(to)) return [{ field, says: 'removed, was', from: valueText(from) }]
    return [{ field, says: 'changed from', from: valueText(from), to: valueText(to) }]
  })
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** `redirectUris`: `Redirect URIs`. */
function fieldText(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[._-]/g, ' ')
  const text = words.toLowerCase().replace(/\b(uri|url|ip|id)(s?)\b/g, (_, short, s) => short.toUpperCase() + s)
  return `${text[0]?.toUpperCase()}${text.slice(1)}`
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
/** Of logos and other long values the beginning says enough. */
const SHOWN_MAX = 200

const count = (value: number) => value.toLocaleString()

function textOf(value: unknown, number: (value: number) => string): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (typeof value === 'number') return number(value)
  if (typeof value === 'string' && TIME.test(value)) return format.format(new Date(value))
  if (Array.isArray(value)) return value.map(one => textOf(one, number)).join(', ')
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(
        ([name, one]) =>
          `${fieldText(name).toLowerCase()} ${isEmpty(one) || (one === 0 && number !== count) ? 'none' : textOf(one, number)}`,
      )
      .join(', ')
  }
  const text = String(value)
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}
