import { isOpaqueColor } from './theme.ts'

/** Red, green and blue of sRGB, whole numbers to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Parses an opaque color of a theme; null for any other text. */
export function readRgb(value: string): Rgb | null {
  if (!isOpaqueColor(value)) return null
  const [, hex] = /^#(.+)$/.exec(value) ?? []
  if (hex !== undefined) {
    const size = hex.length / 3
    return rgbOf((index) => Number.parseInt(hex.slice(index * size, index * size + size).repeat(3 - size), 16))
  }
  const parts = (value.match(/[\d.]+/g) ?? []).map(Number)
  const [hue = 0, saturation = 0, lightness = 0] = parts
  if (value.startsWith('rgb')) return rgbOf((index) => parts[index] ?? 0)
  // CSS Color 4 §7.1.
  const light = Math.min(lightness / 100, 1)
  const spread = Math.min(saturation / 100, 1) * Math.min(light, 1 - light)
  return rgbOf((index) => {
    const turn = (([0, 8, 4][index] ?? 0) + hue / 30) % 12
    return (light - spread * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))) * 255
  })
}

/** `#rrggbb`, the format of a color input. */
export function toHex(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** The contrast ratio, from 1 to 21 (WCAG 2.2). */
export function measureContrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((less, more) => less - more)
  return (light + 0.05) / (dark + 0.05)
}

/** Mixes the color with black or white, whichever contrasts more with `on`, until the contrast is sufficient. One of the two always is. */
export function suggestColor(of: Rgb, on: Rgb, needed: number): string {
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
