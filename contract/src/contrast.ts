import { readThemeValue, type ThemeColour } from './theme.ts'

/** Two colours of a theme that are too near to one another. */
export interface Pale {
  readonly of: ThemeColour
  readonly on: ThemeColour
  /** As measured, in hundredths, rounded down: what is short of a limit never reads as if it were not. */
  readonly ratio: number
  readonly needed: number
  /** A colour for `of` of the same hue that is enough, `#rrggbb`. */
  readonly suggestion: string
}

/** What WCAG 2.2 AA asks of the form's own colours: 1.4.3 of words, 1.4.11 of the edge of a field and of the focus. */
export const themePairs = [
  ['text', 'background', 4.5],
  ['text', 'field', 4.5],
  ['muted', 'background', 4.5],
  ['muted', 'field', 4.5],
  ['accentText', 'accent', 4.5],
  ['error', 'background', 4.5],
  ['success', 'background', 4.5],
  ['border', 'background', 3],
  ['focus', 'background', 3],
] as const satisfies readonly (readonly [of: ThemeColour, on: ThemeColour, needed: number])[]

/** Every pair that is under its limit. A field whose fill stands out needs no border; without a border it is the fill that has to. */
export function findPale(colourOf: (name: ThemeColour) => Rgb, hasBorder: boolean): Pale[] {
  return themePairs.flatMap(([name, on, needed]) => {
    const of = name === 'border' && !hasBorder ? 'field' : name
    const found = measureContrast(colourOf(of), colourOf(on))
    const ratio = name === 'border' ? Math.max(found, measureContrast(colourOf('field'), colourOf(on))) : found
    if (ratio >= needed) return []
    return [{ of, on, needed, ratio: Math.floor(ratio * 100) / 100, suggestion: mend(colourOf(of), colourOf(on), needed) }]
  })
}

/** Red, green and blue of sRGB, whole numbers to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** A colour that a theme takes; null for any other text. */
export function readRgb(text: string): Rgb | null {
  const written = readThemeValue('text', text)
  if (written === null) return null
  const [, hex] = /^#(.+)$/.exec(written) ?? []
  if (hex !== undefined) {
    const size = hex.length / 3
    return rgbOf((index) => Number.parseInt(hex.slice(index * size, index * size + size).repeat(3 - size), 16))
  }
  const parts = (written.match(/[\d.]+/g) ?? []).map(Number)
  const [hue = 0, saturation = 0, lightness = 0] = parts
  if (written.startsWith('rgb')) return rgbOf((index) => parts[index] ?? 0)
  // CSS Color 4 §7.1.
  const light = Math.min(lightness / 100, 1)
  const spread = Math.min(saturation / 100, 1) * Math.min(light, 1 - light)
  return rgbOf((index) => {
    const turn = (([0, 8, 4][index] ?? 0) + hue / 30) % 12
    return (light - spread * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))) * 255
  })
}

/** `#rrggbb`, which a colour input wants. */
export function toHex(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** From 1 to 21 (WCAG 2.2, contrast ratio). */
export function measureContrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((less, more) => less - more)
  return (light + 0.05) / (dark + 0.05)
}

/** Goes towards black or white, whichever is farther from `on`, until it is enough: one of the two always is. */
function mend(of: Rgb, on: Rgb, needed: number): string {
  const far = measureContrast([0, 0, 0], on) > measureContrast([255, 255, 255], on) ? 0 : 255
  const mixed = (share: number): Rgb => rgbOf((index) => (of[index] ?? 0) * (1 - share) + far * share)
  let share = 0
  while (measureContrast(mixed(share), on) < needed && share < 1) share += 0.02
  return toHex(mixed(share))
}

/** WCAG 2.2, relative luminance. */
function luminanceOf(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function rgbOf(part: (index: number) => number): Rgb {
  const whole = (index: number): number => Math.round(Math.min(255, Math.max(0, part(index))))
  return [whole(0), whole(1), whole(2)]
}
