// A group of errors in the list.
import type { ErrorGroup } from '../../../client/stoa.js'
import { Time } from '../../parts/time.tsx'
import { Bars } from './bars.tsx'
import { messageOf, typeOf } from './queries.ts'

type Props = { of: ErrorGroup; isOpen: boolean; onOpen: () => void }

export const ErrorRow = ({ of, isOpen, onOpen }: Props) => (
  <button type="button" className="egroup" aria-current={isOpen || undefined} onClick={onOpen}>
    <span className="grow">
      <span className="strong">{typeOf(of)}</span>
      <span className="m cut">{messageOf(of)}</span>
      <span className="w cut">{[peopleText(of.people), ...of.releases.slice(-RELEASES_MAX)].join(' · ')}</span>
    </span>
    <span className="fig">
      <Bars className="spark so" counts={of.sparkline} />
      <span className="num">
        <b>{of.count.toLocaleString()}</b>{' '}
        <span className="muted">
          <Time at={of.lastSeen} />
        </span>
      </span>
    </span>
  </button>
)

const RELEASES_MAX = 2

const peopleText = (people: number) => `${people.toLocaleString()} ${people === 1 ? 'person' : 'people'}`
