import sprite from './icons.svg?url&no-inline'

/** One of `icons.svg`. It repeats what a text says, so that screen readers skip it. */
export const Icon = ({ name, small = false }: { name: string; small?: boolean }) => (
  <svg className={small ? 'icon s' : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
    <use href={`${sprite}#${name}`} />
  </svg>
)
