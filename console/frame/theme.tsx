// The theme is a cookie, from which the host writes `data-theme` into the page, so that nothing flashes.
import { useState } from 'react'
import { Icon } from '../parts/icon.tsx'

type Theme = 'light' | 'dark' | ''
const CHOICES: [Theme, label: string, icon: string][] = [
  ['light', 'Light', 'sun'],
  ['', 'As the system', 'screen'],
  ['dark', 'Dark', 'moon'],
]
const YEAR_S = 31_536_000

const themeOf = () => (document.documentElement.dataset.theme ?? '') as Theme

export function setTheme(theme: Theme): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all browsers
  document.cookie = `stoa-theme=${theme}; Path=/; SameSite=Lax; Secure; Max-Age=${theme ? YEAR_S : 0}`
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}

export function ThemeSwitch() {
  const [theme, choose] = useState(themeOf)
  return (
    <span className="theme" role="group" aria-label="Theme">
      {CHOICES.map(([value, label, icon]) => (
        <button
          key={label}
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={theme === value}
          onClick={() => {
            setTheme(value)
            choose(value)
          }}
        >
          <Icon name={icon} small />
        </button>
      ))}
    </span>
  )
}
