import type { DistinctMethod } from '../../client/stoa.js'

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** A number of distinct visitors, which may be an estimate. */
export const Estimate = ({ text, distinct }: { text: string; distinct: DistinctMethod }) =>
  distinct.method === 'exact' ? (
    text
  ) : (
    <span title={`An estimate, which may be off by ${percent.format(distinct.error)}`}>
      <span className="about">about </span>
      {text}
    </span>
  )
