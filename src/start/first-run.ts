// The first start of a new database creates the organisations `admin` and `home`, each with an owner and a key.
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Engines } from '../engines/engines.ts'
import { ADMIN_ORG, type OrgId } from '../kit/caller.ts'
import { keepKey, newKeyText } from '../services/account/public.ts'
import { createOrganisation, hasNoOrganisations } from '../services/iam/public.ts'

type Person = { email: string; password: string; key: string }
export type FirstRun = {
  baseUrl: string
  iamUrl: string
  ca: string | null
  superadmin: Person
  home: Person & { org: string }
}
type Addresses = Pick<FirstRun, 'baseUrl' | 'iamUrl' | 'ca'>

/** Returns the path of the file if this start was the first. The file is written before the rows are committed and is
 *  reused if it exists. So whenever the process dies, the file and the database agree after the next start. */
export async function firstRun(engines: Engines, dataDirectory: string, addresses: Addresses): Promise<string | null> {
  const path = join(dataDirectory, 'first-run.json')
  return engines.db.transaction(async tx => {
    if (!(await hasNoOrganisations(tx))) {
      keepAddresses(path, addresses)
      return null
    }
    const { superadmin, home } = kept(path) ?? newPeople(engines)
    write(path, { ...addresses, superadmin, home })
    for (const [org, name, person] of [
      [ADMIN_ORG, 'Platform', superadmin],
      [home.org as OrgId, 'Home', home],
    ] as const) {
      const user = await createOrganisation({ ...engines, db: tx }, { org, name, owner: person })
      await keepKey({ ...engines, db: tx }, { org, user, name: 'First run', type: 'secret', text: person.key })
    }
    return path
  })
}

/** Scripts read them from the file, if it was not deleted: the ports of this start may be other ones. */
function keepAddresses(path: string, addresses: Addresses): void {
  const file = readFirstRun(path)
  if (!file) return
  const { superadmin, home, ...former } = file
  if (!isDeepStrictEqual(former, addresses)) write(path, { ...addresses, superadmin, home })
}

function write(path: string, file: FirstRun): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flush: true })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
}

/** The file of an earlier start, if it exists and is complete. */
export function readFirstRun(path: string): FirstRun | null {
  if (!existsSync(path)) return null
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as FirstRun
    const whole = [file.superadmin, file.home].every(({ email, password, key }) => email && password && key)
    return whole && file.home.org ? file : null
  } catch {
    return null
  }
}

function kept(path: string): FirstRun | null {
  const file = readFirstRun(path)
  if (!file && existsSync(path)) throw new Error(`${path} is damaged; delete it to create new keys and passwords`)
  return file
}

function newPeople({ random }: Engines): Pick<FirstRun, 'superadmin' | 'home'> {
  const person = (email: string) => ({ email, password: random.token(20), key: newKeyText(random, 'secret') })
  return { superadmin: person('admin@stoa.local'), home: { org: 'home', ...person('owner@stoa.local') } }
}
