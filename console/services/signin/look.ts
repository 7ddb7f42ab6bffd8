// The colour that sign-in pages show: the chosen one, made darker or lighter until texts in it and on it can be read, as the host does.
type Rgb = readonly [number, number, number]

export type Mode = 'light' | 'dark'
export const PAPER: Record<Mode, string> = { light: '#fbfaf8', dark: '#17171a' }
const DEFAULTS: Record<Mode, string> = { light: '#1d4f91', dark: '#9cc2ff' }
const TOWARDS: Record<Mode, Rgb> = { light: [0, 0, 0], dark: [255, 255, 255] }
/** WCAG 2, level AA. */
const CONTRAST_MIN = 4.5
const STEPS = 20

export function shownColor(color: string | null, mode: Mode): { act: string; onAct: string } {
  const act = color === null ? DEFAULTS[mode] : readable(rgbOf(color), mode)
  const onWhite = contrast(rgbOf(act), [255, 255, 255])
  return { act, onAct: onWhite >= contrast(rgbOf(act), [0, 0, 0]) ? '#ffffff' : '#000000' }
}

function readable(color: Rgb, mode: Mode): string {
  const [paper, towards] = [rgbOf(PAPER[mode]), TOWARDS[mode]]
  for (let step = 0; step <= STEPS; step++) {
    const mixed = color.map((part, at) => part + ((towards[at] as number) - part) * (step / STEPS)) as unknown as Rgb
    if (contrast(mixed, paper) >= CONTRAST_MIN) return hexOf(mixed)
  }
  return hexOf(towards)
}

function contrast(a: Rgb, b: Rgb): number {
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

const rgbOf = (hex: string): Rgb => [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb
const hexOf = (color: Rgb) => `#${color.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`
