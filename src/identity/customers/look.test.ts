import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contrast, lookOf, rgbOf } from './look.ts'

/** The two colours of each scheme in the style: that of links and buttons, and that of texts on it. */
const colorsIn = (style: string) =>
  [...style.matchAll(/--(?:act|on-act): (#[0-9a-f]{6})/g)].map(([, hex]) => hex as string)
const [LIGHT, DARK] = ['#fbfaf8', '#17171a']
const steps = ['00', '33', '66', '99', 'cc', 'ff']
const colors = steps.flatMap(r => steps.flatMap(g => steps.map(b => `#${r}${g}${b}`)))

describe('the colour of an organisation', () => {
  it('is readable on light and dark backgrounds, as is text on it', () => {
    for (const color of colors) {
      const [light = '', onLight = '', dark = '', onDark = ''] = colorsIn(
        lookOf({ name: 'x', logo: null, color }).style,
      )
      for (const [a, b] of [
        [light, LIGHT],
        [light, onLight],
        [dark, DARK],
        [dark, onDark],
      ] as const) {
        assert.ok(contrast(rgbOf(a), rgbOf(b)) >= 4.4, `${color}: ${a} on ${b}`) // Rounded to whole steps of a byte.
      }
    }
  })

  it('is unchanged where it is readable', () => {
    const [light, , dark] = colorsIn(lookOf({ name: 'x', logo: null, color: '#1d4f91' }).style)
    assert.equal(light, '#1d4f91')
    assert.notEqual(dark, '#1d4f91')
    assert.equal(lookOf({ name: 'x', logo: null, color: null }).style, '')
  })
})
