import type { ReferenceOverride } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { Effect } from './overrides.tsx'

export function OverrideDetails({ set, of, ...steps }: { set: string; of: ReferenceOverride } & Steps) {
  const { key, verdict, note } = of
  const changes = [['risk']]
  const restore = useChange({
    run: () => stoa.setReference({ set, entries: [{ key, verdict, ...(note && { note }) }] }),
    changes,
    done: () => `Override on ${key} restored`,
  })
  const remove = useChange({
    run: () => stoa.clearReference({ set, key }),
    changes,
    onDone: () => {
      toast(`Override on ${key} removed`, undefined, restore.mutate)
      steps.onClose()
    },
  })
  const foot = (
    <button
      type="button"
      className="btn"
      data-kind="danger-quiet"
      disabled={remove.isPending}
      onClick={() => remove.mutate()}
    >
      <Icon name="trash" />
      Remove override
    </button>
  )
  return (
    <Drawer title={key} sub={<Effect of={verdict} />} foot={foot} {...steps}>
      <p>
        {verdict === 'deny'
          ? 'Look-ups of your organisation treat it as a member of the set, whatever the published list says.'
          : 'Look-ups of your organisation treat it as not listed, even if the published list has it.'}
      </p>
      <Facts of={{ Key: <Id text={key} show />, Note: note, By: of.by, Written: <Time at={of.at} /> }} />
    </Drawer>
  )
}
