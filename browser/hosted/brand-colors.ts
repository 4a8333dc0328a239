// The merchant's color on the hosted page: one color that it chose, and what has to contrast with it (WCAG 2.2, 1.4.3 and 1.4.11).

export interface BrandColors {
  /** Buttons and, beside the form, the merchant's pane. */
  readonly accent: string
  /** Text on it: the more legible of white and black, which is always at least 4.5:1. */
  readonly accentText: string
}

/** White and the panel's color in the dark scheme, as in hosted.css. */
export const grounds = { light: '#ffffff', dark: '#14171c' } as const

/**
 * The colors for one scheme. A color that cannot be told from the ground (below 3:1) is moved towards black or white until it can, so that a
 * button of a pale or dark brand still looks like one.
 */
export function brandColorsFor(brand: string, scheme: keyof typeof grounds): BrandColors {
  const target = scheme === 'light' ? 0 : 255
  let accent = brand
  for (let part = 0.05; contrastOf(accent, grounds[scheme]) < minContrast && part <= 1; part += 0.05) accent = mix(brand, target, part)
  return { accent, accentText: textOn(accent) }
}

export function textOn(color: string): string {
  return contrastOf(color, black) >= contrastOf(color, '#ffffff') ? black : '#ffffff'
}

/** The contrast ratio of two colors, WCAG 2.2. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function mix(color: string, target: number, part: number): string {
  return `#${channelsOf(color)
    .map((channel) => Math.round(channel + (target - channel) * part))
    .map((channel) => channel.toString(16).padStart(2, '0'))
    .join('')}`
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16))
}

const black = '#000000'
const minContrast = 3
