import type { AppearanceLabels, AppearancePart, AppearanceProperty, AppearanceSelector } from './appearance.ts'
import type { AppearanceDeclaration } from './appearance-syntax.ts'
import { measureContrast, readRgb, suggestColor, type Rgb } from './contrast.ts'
import type { ThemeColor } from './theme.ts'

/** Two colors of an appearance with too little contrast. Each is a variable, or that of a rule. */
export interface ContrastProblem {
  readonly of: ThemeColor | AppearanceSelector
  readonly on: ThemeColor | AppearanceSelector
  /** What has the color `of`: a text, the border or the fill of a field, or its outline. A rule for `of` corrects it with this property. */
  readonly property: ContrastProperty
  /** The measured contrast, rounded down to hundredths, so that a value below the limit is never shown as the limit. */
  readonly ratio: number
  readonly needed: number
  /** A color of the same hue for `of` with sufficient contrast, `#rrggbb`. */
  readonly suggestion: string
}

export type ContrastProperty = Extract<AppearanceProperty, 'color' | 'borderColor' | 'backgroundColor' | 'outlineColor'>

/** The colors of one scheme, as they will be shown. */
export interface AppearanceColors {
  /** Null: transparent. */
  readonly colorOf: (name: ThemeColor) => Rgb | null
  /** Whether fields have a border, by the variable `borderWidth`. */
  readonly hasBorder: boolean
  readonly rules?: readonly AppearanceDeclaration[]
  readonly labels?: AppearanceLabels
  /** What a transparent form shows. Nobody knows the page behind it: white in the light scheme, the form's own dark in the dark one. */
  readonly page: Rgb
}

/** The texts of the form: the part, the variable of its color, the one it stands on, and the contrast that WCAG 2.2 AA requires (1.4.3). */
export const textPairs = [
  ['Label', 'text', 'background', 4.5],
  ['Input', 'text', 'field', 4.5],
  ['Hint', 'muted', 'background', 4.5],
  ['Input::placeholder', 'muted', 'field', 4.5],
  ['Button', 'accentText', 'accent', 4.5],
  ['Error', 'error', 'background', 4.5],
  ['Success', 'success', 'background', 4.5],
  ['TextButton', 'text', 'background', 4.5],
  ['SecondaryButton', 'text', 'field', 4.5],
  ['Alert', 'error', 'background', 4.5],
] as const satisfies readonly (readonly [part: AppearancePart, of: ThemeColor, on: ThemeColor, needed: number])[]

/** WCAG 2.2 AA, 1.4.11: the border of a field and the outline of the focus. */
export const shapePairs = [
  ['border', 'background', 3],
  ['focus', 'background', 3],
] as const satisfies readonly (readonly [of: ThemeColor, on: ThemeColor, needed: number])[]

/** Below this a text is not pale but invisible. */
export const visibleRatio = 2

/** Finds every pair below its limit. Disabled parts have no limit, as in WCAG. */
export function findContrastProblems(colors: AppearanceColors): ContrastProblem[] {
  const found = [...measureTexts(colors).filter(({ ratio, needed }) => ratio < needed), ...measureShapes(colors)]
  const names = found.map(({ of, on, property }) => `${of} ${on} ${property}`)
  return found
    .filter((_, index) => names.indexOf(names[index] ?? '') === index)
    .map(({ of, on, property, ratio, needed, ink, ground }) => ({
      of,
      on,
      property,
      needed,
      ratio: Math.floor(ratio * 100) / 100,
      suggestion: suggestColor(ink, ground, needed),
    }))
}

/** What has to change so that nothing is invisible: other colors for variables, and parts whose rules get no color. */
export interface VisibilityCorrection {
  readonly variables: Readonly<Partial<Record<ThemeColor, string>>>
  readonly parts: readonly AppearancePart[]
}

/**
 * Corrects texts that nobody could see, and only these: the rest is shown as requested. A placeholder may be as pale as the page likes. When no
 * correction of the variables helps, all colors are replaced by `defaults`.
 */
export function correctInvisible(colors: AppearanceColors, defaults: Readonly<Record<ThemeColor, string>>): VisibilityCorrection {
  let variables: Partial<Record<ThemeColor, string>> = {}
  const corrected = (): AppearanceColors => ({
    ...colors,
    colorOf: (name) => (variables[name] === undefined ? colors.colorOf(name) : readRgb(variables[name])),
  })
  const listInvisible = (rules: AppearanceColors['rules'] = []): TextPair[] =>
    measureTexts({ ...corrected(), rules }).filter(({ part, ratio }) => ratio < visibleRatio && part !== 'Input::placeholder')
  for (let round = 0; round < 3; round++) {
    for (const { part } of listInvisible()) {
      // Measured again: another part may have changed the same variable.
      const pair = listInvisible().find((each) => each.part === part)
      if (pair !== undefined) variables[pair.of as ThemeColor] = suggestColor(pair.ink, pair.ground, pair.needed)
    }
  }
  if (listInvisible().length > 0) variables = { ...defaults }
  return { variables, parts: [...new Set(listInvisible(colors.rules).map(({ part }) => part))] }
}

interface ColorPair {
  readonly of: ContrastProblem['of']
  readonly on: ContrastProblem['on']
  readonly property: ContrastProperty
  readonly ink: Rgb
  readonly ground: Rgb
  readonly ratio: number
  readonly needed: number
}

interface TextPair extends ColorPair {
  readonly part: AppearancePart
}

/** Every text of the form in every combination of states. */
function measureTexts(colors: AppearanceColors): TextPair[] {
  return textPairs.flatMap(([part, ofVariable, onVariable, needed]) => {
    const carrier = part === 'Input::placeholder' || (part === 'Label' && colors.labels === 'floating') ? 'Input' : part
    const standsOn = carrier === 'Input' ? 'field' : onVariable
    return combine(listStates(colors, part, carrier)).map((states) => {
      const [of, ink] = resolve(colors, part, 'color', states, ofVariable)
      const [on, ground] = resolve(colors, carrier, 'backgroundColor', states, standsOn)
      const [shownOn, shownGround] = ground === null ? resolveBackground(colors) : [on, ground]
      const shownInk = ink ?? shownGround
      const ratio = measureContrast(shownInk, shownGround)
      return { part, of, on: shownOn, property: 'color', ink: shownInk, ground: shownGround, needed, ratio }
    })
  })
}

/** The border of a field, or its fill, and the outline of the focus. */
function measureShapes(colors: AppearanceColors): ColorPair[] {
  const [background, ground] = resolveBackground(colors)
  const rule = (colors.rules ?? []).filter(({ part, state, property }) => part === 'Input' && state === '' && property.startsWith('border'))
  const drawn = rule.filter(({ property }) => property !== 'borderRadius')
  const lines = drawn.flatMap(({ value }) => colorsIn(colors, value))
  const hasBorder = lines.length > 0 || (colors.hasBorder && drawn.every(({ value }) => value !== 'none' && !/^0(px)?$/.test(value)))
  const [fillName, fill] = resolve(colors, 'Input', 'backgroundColor', [], 'field')
  const fillRatio = measureContrast(fill ?? ground, ground)
  const [of, property, ink]: [ColorPair['of'], ContrastProperty, Rgb | null] = !hasBorder
    ? [fillName, 'backgroundColor', fill]
    : lines.length > 0
      ? ['.Input', 'borderColor', strongest(lines, ground)]
      : ['border', 'borderColor', colors.colorOf('border')]
  const [focusName, focus] = resolve(colors, 'Input', 'outlineColor', [':focus'], 'focus')
  return [
    { of, property, ink: ink ?? ground, ratio: Math.max(measureContrast(ink ?? ground, ground), fillRatio) },
    { of: focusName, property: 'outlineColor' as const, ink: focus ?? ground, ratio: measureContrast(focus ?? ground, ground) },
  ].flatMap((pair) => (pair.ratio >= 3 ? [] : [{ ...pair, on: background, ground, needed: 3 }]))
}

/** The color of a part when these states hold: that of the last rule that has one, or the variable's. */
function resolve(
  { colorOf, rules = [] }: AppearanceColors,
  part: AppearancePart,
  property: AppearanceDeclaration['property'],
  states: readonly string[],
  variable: ThemeColor,
): readonly [ColorPair['of'], Rgb | null] {
  const rule = rules.findLast((each) => each.part === part && each.property === property && ['', ...states].includes(each.state))
  if (rule === undefined) return [variable, colorOf(variable)]
  return [`.${part}${rule.state}` as AppearanceSelector, resolveColor(colorOf, rule.value)]
}

function resolveBackground({ colorOf, page }: AppearanceColors): readonly ['background', Rgb] {
  return ['background', colorOf('background') ?? page]
}

/** The color of a value: a color, or a variable. Null: transparent. */
export function resolveColor(colorOf: AppearanceColors['colorOf'], value: string): Rgb | null {
  const [, variable] = /^var\(--(\w+)\)$/.exec(value) ?? []
  return variable === undefined ? readRgb(value) : colorOf(variable as ThemeColor)
}

/** The colors of a border's value, such as `1px solid #ccc`. */
function colorsIn({ colorOf }: AppearanceColors, value: string): Rgb[] {
  const color = resolveColor(colorOf, value.replace(/^\S+ (solid|dashed|dotted) /, ''))
  return color === null ? [] : [color]
}

function strongest(colors: readonly Rgb[], ground: Rgb): Rgb | null {
  return [...colors].sort((one, other) => measureContrast(other, ground) - measureContrast(one, ground))[0] ?? null
}

/** The states in which a rule changes the text or what it stands on, without the disabled one. */
function listStates({ rules = [] }: AppearanceColors, ...parts: readonly AppearancePart[]): readonly string[] {
  const states = rules.flatMap(({ part, state }) => (parts.includes(part) && !['', ':disabled'].includes(state) ? [state] : []))
  return [...new Set(states)]
}

/** Every subset of the states. */
function combine(states: readonly string[]): readonly (readonly string[])[] {
  return states.reduce<readonly (readonly string[])[]>((subsets, state) => subsets.flatMap((each) => [each, [...each, state]]), [[]])
}
