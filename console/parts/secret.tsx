import { CopyButton } from './copy.tsx'
import { Icon } from './icon.tsx'

/** A secret, the only time that it is shown. */
export const Secret = ({
  text,
  says = 'Copy it now. It is not shown again.',
  label,
}: {
  text: string
  says?: string
  label: string
}) => (
  <section className="secret" role="status">
    <h3>
      <Icon name="key" />
      {says}
    </h3>
    <div className="row">
      <output aria-label={label}>{text}</output>
      <CopyButton text={text} quiet={false} />
    </div>
  </section>
)
