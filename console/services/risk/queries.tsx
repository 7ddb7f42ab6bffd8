import type { ReferenceOverride, ReferenceSet } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { Status } from '../../parts/status.tsx'
import { Tabs } from '../../parts/tabs.tsx'

export const WITHIN = [{ label: 'Risk', path: 'risk' }]

export const RiskTabs = () => (
  <Tabs
    label="Risk"
    of={[
      ['risk', 'Sets'],
      ['risk/lookup', 'Look-up'],
    ]}
  />
)

export const sets = {
  queryKey: ['risk', 'sets'],
  queryFn: ({ signal }: { signal: AbortSignal }) => stoa.listReference({}, { signal }),
}

/** Whether the host itself keeps the members: only then is a refusal trouble. */
export const isHeld = ({ kind }: ReferenceSet) => kind === 'fetch' || kind === 'local'

export const SetStatus = ({ of }: { of: ReferenceSet }) => {
  if (of.kind === 'seam') return <Status tone="off">Not licensed</Status>
  if (of.kind === 'attest') return <Status tone="off">Kept elsewhere</Status>
  if (of.refusal) return <Status tone="danger">Refused</Status>
  return of.stale ? <Status tone="warn">Stale</Status> : <Status tone="success">Current</Status>
}

/** `192h30m0s` as `8 d 30 min`. */
export function ageText(age: string): string {
  const [, hours = '0', minutes = '0'] = /^(\d+)h(\d+)m/.exec(age) ?? []
  const days = Math.floor(Number(hours) / 24)
  const rest = Number(hours) % 24
  if (days > 0) return rest > 0 ? `${days} d ${rest} h` : `${days} d`
  return rest > 0 ? `${rest} h` : `${Number(minutes)} min`
}

const PAGE = 1_000

/** Every override of a set, page by page. A set has at most 10,000. */
export async function* overridesOf(set: string, signal?: AbortSignal): AsyncGenerator<ReferenceOverride[], void> {
  let after = ''
  do {
    const input = { set, limit: PAGE, ...(after && { after }) }
    const { overrides, next } = await stoa.getReference(input, { signal })
    yield overrides
    after = next
  } while (after)
}
