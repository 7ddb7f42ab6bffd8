import { Icon } from './icon.tsx'

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 })

type Props = {
  now: number
  before: number
  /** Whether more is better, or worse. */
  better: 1 | -1
  says: (value: number) => string
}

/** The change since the time before. Colour says whether it is good, the arrow and the text whether it is more. */
export function Delta({ now, before, better, says }: Props) {
  const title = `${says(before)} before`
  const share = before === 0 ? 0 : Math.abs(now - before) / Math.abs(before)
  if (Math.round(100 * share) === 0) {
    return (
      <span className="delta" title={title}>
        {before === 0 && now !== 0 ? 'None before' : 'No change'}
      </span>
    )
  }
  const isMore = now > before
  return (
    <span className="delta" title={title} data-tone={isMore === better > 0 ? 'good' : 'bad'}>
      <Icon name={isMore ? 'upright' : 'downright'} small />
      {percent.format(share)}
      <span className="vh">{isMore ? ' more' : ' less'}</span>
    </span>
  )
}
