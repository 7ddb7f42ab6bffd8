import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../../../client/stoa.js'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import type { Steps } from '../../parts/list.tsx'
import { balance, moneyText } from '../../parts/money.tsx'
import { Time } from '../../parts/time.tsx'
import { actionText, changesOf, subjectOf } from './words.ts'

const STOA = 'stoa'

export const Who = ({ of: { email, credential } }: { of: AuditEntry }) =>
  email ?? (credential === STOA ? 'Stoa' : <Id text={credential} />)

type Props = { of: AuditEntry; onUser: (user: string) => void; onWhat: (what: string) => void } & Steps

export function EntryDetails({ of, onUser, onWhat, ...steps }: Props) {
  const { user } = of
  const subject = subjectOf(of)
  const { data } = useQuery(balance)
  const changes = changesOf(of, cents => (data ? moneyText(cents, data.currency) : (cents / 100).toFixed(2)))
  const foot = (
    <span className="right">
      <button type="button" className="btn" onClick={() => onWhat(of.what)}>
        Show this action
      </button>
      {user?.startsWith('usr_') && (
        <button type="button" className="btn" onClick={() => onUser(user)}>
          Show this person
        </button>
      )}
    </span>
  )
  return (
    <Drawer title={actionText(of.what)} sub={<span className="cut">{subject}</span>} foot={foot} {...steps}>
      <section>
        <h3>Changes</h3>
        {changes.length === 0 ? (
          <p className="muted">This action has no values to show.</p>
        ) : (
          <ul className="rows changes">
            {changes.map(({ field, says, from, to }) => (
              <li key={field}>
                <p>
                  <b>{field}</b> {says} {from !== undefined && <del>{from}</del>}
                  {from !== undefined && to !== undefined && ' to '}
                  {to !== undefined && <ins>{to}</ins>}
                </p>
              </li>
            ))}
          </ul>
        )}
      </section>
      <Facts
        of={{
          When: <Time at={of.at} />,
          By: <Who of={of} />,
          With: of.credential !== STOA && credentialText(of.credential),
          From: of.ip,
          On: <Id text={of.on} show />,
          Action: <span className="code">{of.what}</span>,
          Request: of.requestId && <Id text={of.requestId} show />,
        }}
      />
    </Drawer>
  )
}

const KINDS: Record<string, string> = { key_: 'API key', ses_: 'Browser session', sin_: 'Sign-in' }

const credentialText = (credential: string) => (
  <>
    {KINDS[credential.slice(0, 4)] ?? 'Credential'} <Id text={credential} shown={`${credential.slice(0, 12)}…`} show />
  </>
)
