import './projects.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DnsRecord, Domain } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { errorText, RequestId } from '../../frame/problems.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Steps } from '../../parts/list.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { DomainStatus } from './details.tsx'

/** While a pending host is open. Name servers need minutes, so that more looks do not help. */
const CHECK_MS = 15_000

type Props = { slug: string; of: Domain } & Steps

export function DomainDetails({ slug, of, ...steps }: Props) {
  const { host } = of
  const [asks, setAsks] = useState(false)
  const queryClient = useQueryClient()
  // A check writes only what changed, so that it may be repeated as a query.
  const check = useQuery({
    queryKey: ['domain-check', slug, host],
    queryFn: ({ signal }) => stoa.verifyDomain({ slug, host }, { signal }),
    enabled: of.status === 'pending',
    refetchInterval: ({ state }) => (of.status === 'pending' && !state.error ? CHECK_MS : false),
    gcTime: 0,
  })
  const found = check.data?.status
  useEffect(() => {
    if (found === undefined || found === of.status) return
    if (found === 'live') toast(`${host} is live`)
    void queryClient.invalidateQueries({ queryKey: ['domains', slug] })
  }, [found, of.status, host, slug, queryClient])
  const detach = useChange({
    run: () => stoa.detachDomain({ slug, host }),
    changes: [['domains', slug]],
    done: () => `${host} detached`,
    onDone: steps.onClose,
  })
  const foot = (
    <>
      <button type="button" className="btn" data-kind="danger-quiet" onClick={() => setAsks(true)}>
        <Icon name="trash" />
        Detach…
      </button>
      <span className="right">
        <button type="button" className="btn" disabled={check.isFetching} onClick={() => void check.refetch()}>
          <Icon name="refresh" />
          Check now
        </button>
      </span>
    </>
  )
  return (
    <>
      <Drawer title={host} sub={<DomainStatus of={of} />} foot={foot} {...steps}>
        <Found of={of} says={check.data?.detail} error={check.error} isChecking={check.isFetching} />
        {of.records.map(record => (
          <TxtRecord key={record.name} of={record} isLive={of.status === 'live'} />
        ))}
        <Facts of={{ Attached: <Time at={of.created} />, 'Missed checks': of.missedChecks }} />
      </Drawer>
      {asks && (
        <Confirm title={`Detach ${host}?`} action="Detach domain" onNo={() => setAsks(false)} onYes={detach.mutate}>
          <p>
            {of.status === 'live'
              ? 'Its pages can no longer call Stoa: browsers refuse the answers from now on. '
              : 'The host is not verified. '}
            To attach it again, you need a new TXT record.
          </p>
        </Confirm>
      )}
    </>
  )
}

type FoundProps = { of: Domain; says: string | undefined; error: unknown; isChecking: boolean }

/** What the last check found. */
function Found({ of, says, error, isChecking }: FoundProps) {
  const isLive = of.status === 'live'
  const tone = error ? 'danger' : isLive ? (of.missedChecks ? 'warn' : 'success') : 'accent'
  return (
    <div className="callout" data-tone={tone} role="status">
      <Icon name={error ? 'alert' : isLive ? 'ok' : 'clock'} />
      <div>
        {error ? (
          <>
            {errorText(error)}
            <RequestId error={error} />
          </>
        ) : (
          <>
            <b>{isLive ? 'Verified.' : isChecking ? 'Checking the record.' : 'Waiting for the record.'}</b>{' '}
            {says ??
              (isLive
                ? 'The record must stay: it is checked every day, and the host is pending again after three misses.'
                : 'Add the record below at your DNS provider.')}
            {!isLive && <p className="muted">Checked every 15 seconds while this is open.</p>}
          </>
        )}
      </div>
    </div>
  )
}

const TxtRecord = ({ of: { type, name, value }, isLive }: { of: DnsRecord; isLive: boolean }) => (
  <section>
    <h3>{isLive ? 'The record that must stay' : 'Add this record'}</h3>
    <dl className="dns">
      <div>
        <dt>Type</dt>
        <dd>{type}</dd>
      </div>
      <div>
        <dt>Name</dt>
        <dd>
          <CopyButton text={name} label="Copy name" />
          <code>{name}</code>
        </dd>
      </div>
      <div>
        <dt>Value</dt>
        <dd>
          <CopyButton text={value} label="Copy value" />
          <code>{value}</code>
        </dd>
      </div>
    </dl>
  </section>
)
