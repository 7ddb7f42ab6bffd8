// What the frame knows of each service: its entries in the navigation, and its screens.
import type { ComponentType } from 'react'
import type { Me } from '../api.ts'
import { analytics } from './analytics/index.ts'
import { audit } from './audit/index.ts'
import { billing } from './billing/index.ts'
import { errors } from './errors/index.ts'
import { events } from './events/index.ts'
import { home } from './home/index.ts'
import { host } from './host/index.ts'
import { keys } from './keys/index.ts'
import { me } from './me/index.ts'
import { models } from './models/index.ts'
import { people } from './people/index.ts'
import { projects } from './projects/index.ts'
import { risk } from './risk/index.ts'
import { signin } from './signin/index.ts'
import { tools } from './tools/index.ts'
import { webhooks } from './webhooks/index.ts'

export const GROUPS = ['', 'Product', 'Build', 'Operate', 'Protect', 'Organisation', 'Host'] as const

export type Entry = {
  group: (typeof GROUPS)[number]
  label: string
  icon: string
  /** Below `/o/{org}/`, or from the root if it begins with a slash, as that of a screen. */
  path: string
  /** The service in `GET /v1` that must have operations; none for what is always there. */
  service?: string
  may?: (me: Me) => boolean
  /** The key that goes there after `g`. */
  key?: string
}
export type Screen = { path: string; title: string; load: () => Promise<ComponentType> }
export type Service = { entries: Entry[]; screens: Screen[] }

export const services: readonly Service[] = [
  ...[home, projects, analytics, events, errors],
  ...[keys, models, tools, webhooks],
  ...[signin, risk, audit],
  ...[people, billing, me],
  ...[host],
]
