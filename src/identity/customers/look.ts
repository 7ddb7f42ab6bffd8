// The look of an organisation's pages and mails for customers: its name, logo and colour. Text in and on any colour stays
// readable in light and dark mode.
import { createHash } from 'node:crypto'

export type Branding = { name: string; logo: string | null; color: string | null }

export type Look = {
  name: string
  /** A data URL. */
  logo: string | null
  /** A style sheet that follows the common one. */
  style: string
  styleHash: string
  /** The colour in mails, which have a light background. */
  color: string
  onColor: string
}

type Rgb = readonly [number, number, number]

const PAPER: Record<'light' | 'dark', Rgb> = { light: [251, 250, 248], dark: [23, 23, 26] }
const [WHITE, BLACK]: [Rgb, Rgb] = [
  [255, 255, 255],
  [0, 0, 0],
]
const DEFAULT_COLOR = '#1d4f91'
/** WCAG 2, level AA. */
const CONTRAST_MIN = 4.5
const STEPS = 20

export function lookOf({ name, logo, color }: Branding): Look {
  const chosen = rgbOf(color ?? DEFAULT_COLOR)
  const light = readable(chosen, PAPER.light, BLACK)
  const dark = readable(chosen, PAPER.dark, WHITE)
  const style =
    color === null
      ? ''
      : `:root { --act: ${hexOf(light)}; --on-act: ${hexOf(onColor(light))} } @media (prefers-color-scheme: dark) { :root { --act: ${hexOf(dark)}; --on-act: ${hexOf(onColor(dark))} } }`
  const styleHash = createHash('sha256').update(style).digest('base64')
  return { name, logo, style, styleHash, color: hexOf(light), onColor: hexOf(onColor(light)) }
}

/** The colour, mixed with `towards` until it is readable on `paper`. */
function readable(color: Rgb, paper: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step <= STEPS; step++) {
    const mixed = color.map((part, at) => part + ((towards[at] as number) - part) * (step / STEPS)) as unknown as Rgb
    if (contrast(mixed, paper) >= CONTRAST_MIN) return mixed
  }
  return towards
}

const onColor = (color: Rgb): Rgb => (contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK)

export function contrast(a: Rgb, b: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((one, other) => other - one)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Rgb): number {
  const [r = 0, g = 0, b = 0] = color.map(part => {
    const share = part / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

export const rgbOf = (hex: string): Rgb =>
  [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb

const hexOf = (color: Rgb): string => `#${color.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`
