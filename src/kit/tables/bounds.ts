// Bounds on the number of rows per organisation. They are settings, far above ordinary use, and keep one organisation from
// filling the database.
import type { Clock } from '../../engines/engines.ts'
import { Fault } from '../fault.ts'
import { lock } from '../lock.store.ts'
import { fragment } from '../sql.ts'
import type { Bounds } from '../table.ts'
import { countRows, waysOf } from './store.ts'

const ALL = fragment`true`

/** `maxima` are the settings of the host, by name. */
export const openBounds = (clock: Clock, maxima: Readonly<Record<string, unknown>>): Bounds => ({
  require: async (db, table, org, room = {}) => {
    const { bound } = table
    if (!bound) throw new Error(`${table.name} has no bound`)
    const { remedy = bound.remedy, adding = 0, among = ALL } = room
    const max = maxima[bound.setting] as number
    // A maintained count is a row, which is locked by the transaction that adds rows.
    if (!bound.counted) await lock(db, `${table.name} of ${org}`)
    const counted = bound.where ? fragment`${bound.where(clock.now().toISOString())} and ${among}` : among
    const [way = ALL] = waysOf(table, org)
    const present = bound.counted?.(db, org) ?? countRows(db, table, way, max + 1, counted)
    const count = (await present) + adding
    if (count <= max) return
    throw new Fault('conflict', { message: `An organisation can have at most ${max} ${bound.what}. ${remedy}` })
  },
})
