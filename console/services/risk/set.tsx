import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReferenceSet, ReferenceSource } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { ageText, isHeld, SetStatus } from './queries.tsx'

const MATCHES: Record<ReferenceSet['match'], string> = {
  exact: 'the whole key',
  domain: 'the domain, or one above it',
  net: 'the network of the address',
  digits: 'the first digits',
  pattern: 'a pattern in the user agent',
  range: 'a range of numbers',
}
const BASES: Record<ReferenceSource['basis'], string> = {
  licence: 'Licence',
  registry: 'Registry',
  operator: 'Published by the operator',
  own: 'Own data',
  none: 'No permission',
}

export function SetDetails({ of, ...steps }: { of: ReferenceSet } & Steps) {
  const { data: person } = useQuery(me)
  const refresh = useChange({
    run: () => stoa.refreshReference({ set: of.set }),
    changes: [['risk']],
    onDone: ({ took }) => {
      const failed = took.filter(({ refusal }) => refusal)
      if (failed.length === 0) toast(`Set ${of.set} refreshed`)
      else toast(`${failed.map(one => `${one.source}: ${one.refusal}`).join('. ')}`, 'danger')
    },
  })
  const foot = (
    <>
      {person?.superadmin && of.kind === 'fetch' && (
        <BusyButton isBusy={refresh.isPending} onClick={() => refresh.mutate()}>
          <Icon name="refresh" />
          Refresh set
        </BusyButton>
      )}
      <span className="right">
        <Link
          className="btn"
          data-kind="primary"
          to="/o/$org/$"
          params={{ org: person?.org ?? '', _splat: `risk/${of.set}` }}
        >
          Show overrides
        </Link>
      </span>
    </>
  )
  return (
    <Drawer title={of.set} sub={<SetStatus of={of} />} foot={foot} {...steps}>
      <p>{of.what}</p>
      {of.refusal && (
        <div className="callout" data-tone={isHeld(of) ? 'danger' : undefined}>
          <Icon name={isHeld(of) ? 'alert' : 'info'} />
          <div>
            <b>It cannot be consulted.</b> {of.refusal}
          </div>
        </div>
      )}
      {of.stale && !of.refusal && (
        <div className="callout" data-tone="warn">
          <Icon name="clock" />
          <div>
            <b>It is older than allowed.</b> It still answers, from what was last imported.
          </div>
        </div>
      )}
      <Facts
        of={{
          Members: isHeld(of) && of.keys.toLocaleString(),
          'Compared by': MATCHES[of.match],
          'Current as of': of.kind === 'local' ? 'now: it is computed here' : of.asOf && <Time at={of.asOf} />,
          Age: of.kind === 'fetch' && of.age && `${ageText(of.age)} of at most ${ageText(of.maxAge)}`,
          Overrides: of.overrides.toLocaleString(),
          Version: of.version !== '' && <Id text={of.version} shown={cut(of.version)} show />,
        }}
      />
      {of.sources.length > 0 && (
        <section>
          <h3>Where it comes from</h3>
          <ul className="rows rsources">
            {of.sources.map(source => (
              <Source key={source.source} of={source} isHeld={isHeld(of)} />
            ))}
          </ul>
        </section>
      )}
    </Drawer>
  )
}

const cut = (text: string) => (text.length > 36 ? `${text.slice(0, 36)}…` : text)

const Source = ({ of, isHeld }: { of: ReferenceSource; isHeld: boolean }) => (
  <li>
    <div className="grow">
      <div className="line">
        <span className="strong grow cut">{of.source}</span>
        {of.refusal ? (
          <Status tone={of.asOf ? 'warn' : 'danger'}>Import failed</Status>
        ) : (
          isHeld && <span className="muted num">{of.keys.toLocaleString()}</span>
        )}
      </div>
      {of.refusal && <div className="rwhy">{of.refusal}</div>}
      <div className="muted">
        {`${BASES[of.basis]}: ${of.terms}`}
        {of.asOf && (
          <>
            {' · '}
            <Time at={of.asOf} />
          </>
        )}
      </div>
      <div className="muted rorigin">
        {/^https:/.test(of.origin) ? (
          <a href={of.origin} rel="noreferrer noopener" target="_blank">
            {of.origin}
          </a>
        ) : (
          of.origin
        )}
        {of.version && (
          <>
            {' · '}
            <Id text={of.version} shown={`${of.version.slice(0, 12)}…`} />
          </>
        )}
      </div>
    </div>
  </li>
)
