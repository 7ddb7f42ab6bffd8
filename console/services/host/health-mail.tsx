import './host.css'
import { useQuery } from '@tanstack/react-query'
import type { KeptMail } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Time } from '../../parts/time.tsx'
import { HealthTabs, REFRESH_MS, WITHIN } from './queries.tsx'

export function Mail() {
  useCode('listKeptMail', 'GET', '/v1/o11y/mail', {})
  const { data } = useQuery({ queryKey: ['mail', 'kept'], queryFn: () => stoa.listKeptMail({ limit: 1 }) })
  const isSent = data?.kept === false
  return (
    <List
      title="Mail"
      heading="Health"
      within={WITHIN}
      about={
        isSent
          ? 'Mail is sent over SMTP. The host keeps none.'
          : 'No mail server is set, so mail is kept in files. Set STOA_SMTP_URL to send it.'
      }
      top={<HealthTabs />}
      noun={['mail', 'mails']}
      query={{
        ...pages(['mail', 'list'], (after, options) => stoa.listKeptMail(after, options)),
        refetchInterval: REFRESH_MS,
      }}
      idOf={({ id }) => id}
      columns={COLUMNS}
      details={(mail, steps) => <Details key={mail.id} of={mail} {...steps} />}
      empty={{
        icon: 'send',
        title: isSent ? 'Mail is sent, not kept' : 'No mail yet',
        says: isSent ? 'What the mail server accepted is not listed here.' : 'Invitations and codes are listed here.',
      }}
    />
  )
}

const COLUMNS: Column<KeptMail>[] = [
  { head: 'To', className: 'p1 fill', cell: ({ to }) => to },
  { head: 'Written', className: 'r p2', cell: ({ at }) => <Time at={at} /> },
]

/** Subject and text are read when somebody asks for it, because that is recorded. They are in no cache. */
function Details({ of, ...steps }: { of: KeptMail } & Steps) {
  const read = useChange({ run: () => stoa.getKeptMail({ id: of.id }), changes: [], showsErrors: true })
  const foot = !read.data && (
    <span className="right">
      <BusyButton data-kind="primary" isBusy={read.isPending} onClick={() => read.mutate()}>
        Read mail
      </BusyButton>
    </span>
  )
  return (
    <Drawer title={`Mail to ${of.to}`} foot={foot} {...steps}>
      <Facts of={{ Subject: read.data?.subject, From: read.data?.from, Written: <Time at={of.at} /> }} />
      {read.error && <Problem error={read.error} />}
      {read.data ? (
        <div className="host-wrap">
          <CodeBlock title="Text" samples={[{ name: 'Text', code: read.data.text }]} />
        </div>
      ) : (
        <p className="muted">
          Its links and codes may sign somebody in, reset a password or accept an invitation. The audit trail records
          who reads it.
        </p>
      )}
    </Drawer>
  )
}
