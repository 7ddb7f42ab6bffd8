import type { ComponentProps } from 'react'

/** A button that cannot be pressed again while what it began is going on. */
export const BusyButton = ({ isBusy, ...rest }: ComponentProps<'button'> & { isBusy: boolean }) => (
  <button type="button" className="btn" aria-busy={isBusy} {...rest} disabled={isBusy || rest.disabled} />
)
