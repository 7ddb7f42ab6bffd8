import { useEffect, useRef, useState } from 'react'
import { keepSecret } from '../frame/unsaved.tsx'
import { CopyButton } from './copy.tsx'
import { Icon } from './icon.tsx'

type Props = { text: string; says?: string; label: string }

/** A secret, the only time that it is shown. Leaving asks until it is copied. */
export function Secret({ text, says = 'Copy it now. It is not shown again.', label }: Props) {
  const section = useRef<HTMLElement>(null)
  const [copied, setCopied] = useState('')
  useEffect(() => (section.current && copied !== text ? keepSecret(section.current) : undefined), [copied, text])
  const onCopy = () => setCopied(text)
  return (
    <section ref={section} className="secret" role="status" onCopy={onCopy}>
      <h3>
        <Icon name="key" />
        {says}
      </h3>
      <div className="row">
        <output aria-label={label}>{text}</output>
        <CopyButton text={text} quiet={false} onCopy={onCopy} />
      </div>
    </section>
  )
}
