import { Fragment, type ReactNode } from 'react'

/** Facts of one thing, by name. Those without a value are left out. */
export const Facts = ({ of, title = 'Details' }: { of: Record<string, ReactNode>; title?: string }) => (
  <section>
    <h3>{title}</h3>
    <dl className="kv">
      {Object.entries(of).map(
        ([name, value]) =>
          value !== undefined &&
          value !== null &&
          value !== false && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  </section>
)
