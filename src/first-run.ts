// The first start of a new database makes two organisations, so that there is somebody to sign in as.
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engines } from './engines/engines.ts'
import { type OrgId, PLATFORM_ORG } from './kit/caller.ts'
import { keepKey, newKeyText } from './services/account/public.ts'
import { createOrganisation, hasNoUsers } from './services/iam/public.ts'

type Person = { email: string; password: string; key: string }
export type FirstRun = {
  baseUrl: string
  iamUrl: string
  ca: string | null
  superadmin: Person
  home: Person & { org: string }
}
type Addresses = Pick<FirstRun, 'baseUrl' | 'iamUrl' | 'ca'>

/** Answers the file's path when this start was the first. The file is written before the rows are committed, and read
 *  back if it is there: whenever the process dies, what the file says is what the database knows in the end. */
export async function firstRun(engines: Engines, dataDirectory: string, addresses: Addresses): Promise<string | null> {
  const path = join(dataDirectory, 'first-run.json')
  return engines.db.transaction(async tx => {
    if (!(await hasNoUsers(tx))) return null
    const { superadmin, home } = kept(path) ?? newPeople(engines)
    const file: FirstRun = { ...addresses, superadmin, home }
    writeFileSync(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flush: true })
    chmodSync(`${path}.new`, 0o600)
    renameSync(`${path}.new`, path)
    for (const [org, name, person] of [
      [PLATFORM_ORG, 'Platform', superadmin],
      [home.org as OrgId, 'Home', home],
    ] as const) {
      const user = await createOrganisation({ ...engines, db: tx }, { org, name, owner: person })
      await keepKey({ ...engines, db: tx }, { org, user, name: 'First run', type: 'secret', text: person.key })
    }
    return path
  })
}

/** The file of an earlier start, if there is one and it is whole. */
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
  if (!file && existsSync(path)) throw new Error(`${path} is damaged; delete it to have new keys and passwords made`)
  return file
}

function newPeople({ random }: Engines): Pick<FirstRun, 'superadmin' | 'home'> {
  const person = (email: string) => ({ email, password: random.token(20), key: newKeyText(random, 'secret') })
  return { superadmin: person('admin@stoa.local'), home: { org: 'home', ...person('owner@stoa.local') } }
}
