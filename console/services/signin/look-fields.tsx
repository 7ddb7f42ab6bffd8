// The logo and the colour of sign-in pages, as fields of a form.
import { useState } from 'react'
import type { Control } from '../../parts/form.tsx'
import { Icon } from '../../parts/icon.tsx'

const LOGO_BYTES_MAX = 32 * 1024
const KINDS = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']

type Props = Parameters<Control>[0]

export const logoControl: Control = props => <LogoField {...props} />
export const colorControl: Control = props => <ColorField {...props} />

function LogoField({ value, set, schema: _, choices: _choices, ...its }: Props) {
  const [problem, setProblem] = useState('')
  const read = (file: File | undefined) => {
    if (!file) return
    if (!KINDS.includes(file.type)) return setProblem('Choose a PNG, JPEG, WebP or SVG image.')
    if (file.size > LOGO_BYTES_MAX)
      return setProblem(`This image has ${Math.ceil(file.size / 1024)} KiB. 32 are allowed.`)
    setProblem('')
    const reader = new FileReader()
    reader.onload = () => set(reader.result)
    reader.readAsDataURL(file)
  }
  return (
    <div className="logo-field">
      {typeof value === 'string' && value !== '' && (
        <span className="line">
          <img className="logo" src={value} alt="The chosen logo" />
          <button type="button" className="btn s" onClick={() => set('')}>
            Remove logo
          </button>
        </span>
      )}
      <input {...its} type="file" accept={KINDS.join()} onChange={event => read(event.target.files?.[0])} />
      {problem && (
        <span className="error-text" role="alert">
          <Icon name="alert" small />
          {problem}
        </span>
      )}
    </div>
  )
}

const COLOR = /^#[0-9a-f]{6}$/
const DEFAULT_COLOR = '#1d4f91'

function ColorField({ value, set, schema: _, choices: _choices, ...its }: Props) {
  const text = typeof value === 'string' ? value : ''
  return (
    <span className="affix color-field">
      <input
        type="color"
        aria-label="Choose a colour"
        value={COLOR.test(text) ? text : DEFAULT_COLOR}
        onChange={event => set(event.target.value)}
      />
      <input
        {...its}
        value={text}
        placeholder="Default"
        pattern="#[0-9a-f]{6}"
        title="# and six hex digits, such as #1d4f91"
        autoComplete="off"
        spellCheck={false}
        onChange={event => set(event.target.value.trim().toLowerCase())}
      />
    </span>
  )
}
