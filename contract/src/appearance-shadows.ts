import { resolveColor, textPairs, visibleRatio, type AppearanceColors } from './appearance-contrast.ts'
import type { AppearanceDeclaration } from './appearance-syntax.ts'
import { measureContrast, readRgb, type Rgb } from './contrast.ts'

// Shadows and outlines around a part. They are painted below every text, but a dark shadow under a dark text would hide it all the same.

/** A shadow that ends this close to its part reaches no text of another one, in px. */
const nearReach = 4
/** How far outside the form's edge a part may be painted, in px: what is farther out is so faint that its end is not seen. */
const maxInset = 12
/** The parts whose texts stand near others, on the background of the form. */
const textsAround = ['Label', 'Error', 'Hint', 'TextButton', 'Success', 'Alert'] as const

/**
 * The shadows that reach other parts, and that would leave a text less than 2:1 by themselves or together. Two shadows that are harmless alone and
 * hide a text together are both in the result.
 */
export function findDarkShadows(colors: AppearanceColors): AppearanceDeclaration[] {
  const background = colors.colorOf('background') ?? colors.page
  const inks = textPairs.flatMap(([part, of]) => (textsAround.some((each) => each === part) ? listInks(colors, part, of) : []))
  const rules = (colors.rules ?? []).filter(({ property }) => property === 'boxShadow')
  const refused = new Set<AppearanceDeclaration>()
  for (const near of listNeighbors(rules)) {
    const shadows = near.flatMap(({ value }) => splitShadows(value)).filter(({ reach }) => reach > nearReach)
    const [darkest, lightest] = mixShadows(colors, background, shadows)
    const isHidden = (ink: Rgb): boolean => {
      const [fromDarkest, fromLightest] = [measureContrast(ink, darkest), measureContrast(ink, lightest)]
      // A text between the two is as light as some mixture.
      return Math.min(fromDarkest, fromLightest) < visibleRatio || Math.max(fromDarkest, fromLightest) <= measureContrast(darkest, lightest)
    }
    if (shadows.length > 0 && !near.some((rule) => refused.has(rule)) && inks.some(isHidden)) for (const rule of near) refused.add(rule)
  }
  return [...refused]
}

/**
 * The rules whose shadows may meet at one text, smaller sets first: those of two fields, each in a state of its own, and of one part of any other
 * kind. Two fields with the same rule count once: a spread of at most 4px leaves the one no more than what the other lacks.
 */
function listNeighbors(rules: readonly AppearanceDeclaration[]): readonly (readonly AppearanceDeclaration[])[] {
  const parts = [...new Set(rules.map(({ part }) => part))]
  const sets = ['Input', ...parts].reduce<readonly (readonly AppearanceDeclaration[])[]>(
    (found, part) =>
      found.flatMap((set) => [set, ...rules.filter((rule) => rule.part === part).map((rule) => [...new Set([...set, rule])])]),
    [[]],
  )
  return [...sets].sort((one, other) => one.length - other.length)
}

/**
 * The darkest and the lightest color that these shadows can leave on the background: which of them meet at a text, how much of each blur, and in
 * which order they are painted depends on the layout. Each channel is taken by itself.
 */
function mixShadows(colors: AppearanceColors, background: Rgb, shadows: readonly Shadow[]): readonly [darkest: Rgb, lightest: Rgb] {
  const painted = shadows.map(({ color }) => readShadowColor(colors, color))
  const mix = (isDarkest: boolean): Rgb =>
    background.map((channel, index) => {
      const layers = painted.map(([color, alpha]) => [color[index] ?? 0, alpha] as const)
      layers.sort(([one], [other]) => (isDarkest ? other - one : one - other))
      return layers.reduce((below, [above, alpha]) => {
        const mixed = Math.round(below * (1 - alpha) + above * alpha)
        return isDarkest ? Math.min(below, mixed) : Math.max(below, mixed)
      }, channel)
    }) as unknown as Rgb
  return [mix(true), mix(false)]
}

/** How much room these rules need above and below the form, and beside it, in px. */
export function measureRoom(rules: readonly AppearanceDeclaration[]): { readonly block: number; readonly inline: number } {
  const shadows = rules.filter(({ property }) => property === 'boxShadow').flatMap(({ value }) => splitShadows(value))
  const parts = [...new Set(rules.map(({ part }) => part))]
  const outlines = parts.map((part) => {
    const pixels = (name: string, byDefault: number): number => {
      const rule = rules.find((each) => each.part === part && each.property === name)
      return rule === undefined ? byDefault : toPixels(rule.value)
    }
    return pixels('outlineOffset', -2) + pixels('outlineWidth', 2)
  })
  const room = (offsets: readonly number[]): number => Math.min(maxInset, Math.ceil(Math.max(0, ...offsets, ...outlines)))
  return {
    block: room(shadows.map(({ y, size }) => Math.abs(y) + size)),
    inline: room(shadows.map(({ x, size }) => Math.abs(x) + size)),
  }
}

interface Shadow {
  readonly x: number
  readonly y: number
  /** How far it is seen around its part, without its offset, in px. The outer third of a blur is too faint. */
  readonly size: number
  /** How far outside its part it is painted at all, in px. */
  readonly reach: number
  readonly color: string
}

function splitShadows(value: string): Shadow[] {
  return value.split(/, ?(?![^(]*\))/).flatMap((text) => {
    const [, inset, sizes = '', color = ''] = /^(inset )?((?:-?[\d.]+(?:px|rem)? ){2,4})(\S.*)$/.exec(text) ?? []
    const [x = 0, y = 0, blur = 0, spread = 0] = sizes.trim().split(' ').map(toPixels)
    const reach = Math.max(Math.abs(x), Math.abs(y)) + blur + spread
    return color === '' || inset !== undefined ? [] : [{ x, y, size: blur * 0.66 + spread, reach, color }]
  })
}

function toPixels(length: string): number {
  return Number.parseFloat(length) * (/em$/.test(length) ? 16 : 1)
}

/** The color of a text in its rules: each may be shown. */
function listInks(
  colors: AppearanceColors,
  part: AppearanceDeclaration['part'],
  variable: Parameters<AppearanceColors['colorOf']>[0],
): Rgb[] {
  const rules = (colors.rules ?? []).filter((rule) => rule.part === part && rule.property === 'color')
  const values = rules.map(({ value }) => resolveColor(colors.colorOf, value))
  return [colors.colorOf(variable), ...values].flatMap((ink) => (ink === null ? [] : [ink]))
}

/** A color of a shadow, and how opaque it is, from 0 to 1. */
function readShadowColor({ colorOf, page }: AppearanceColors, color: string): readonly [Rgb, number] {
  const opaque = resolveColor(colorOf, color)
  if (opaque !== null) return [opaque, 1]
  const [, hex = ''] = /^#([\da-f]+)$/i.exec(color) ?? []
  const size = hex.length / 4
  const alphaText = hex === '' ? (/([\d.]+%?)\)$/.exec(color)?.[1] ?? '1') : hex.slice(-size).repeat(3 - size)
  const alpha = hex === '' ? Number.parseFloat(alphaText) / (alphaText.endsWith('%') ? 100 : 1) : Number.parseInt(alphaText, 16) / 255
  const base = hex === '' ? color.replace(/^(...)a/, '$1').replace(/(, ?| ?\/ ?)[\d.]+%?\)$/, ')') : `#${hex.slice(0, -size)}`
  return [readRgb(base) ?? page, Math.min(1, alpha)]
}
