import { findContrastProblems, type ContrastProblem } from '@tessera/contract/appearance-contrast'
import { colorSchemes, defaultScheme, type ColorScheme } from '@tessera/contract/appearance-reader'
import { readRules } from '@tessera/contract/appearance-syntax'
import type {
  Appearance,
  AppearanceDeclarations,
  AppearanceLabels,
  AppearanceProperty,
  AppearanceRules,
  AppearanceSelector,
} from '@tessera/contract/appearance'
import { readRgb, toHex, type Rgb } from '@tessera/contract/contrast'
import type { FormLabel, FormLayout, FrameOptions } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'
import {
  readThemeValue,
  themeVariables,
  type ThemeColor,
  type ThemeScheme,
  type ThemeValues,
  type ThemeVariable,
} from '@tessera/contract/theme'
import { themeTable } from '@tessera/contract/theme-table'

/** One line of the rules: a property of a part in a state. */
export interface RuleLine {
  readonly selector: AppearanceSelector
  readonly property: AppearanceProperty
  readonly value: string
}

/** The settings of the form builder. They exist only on the page. Texts are stored as typed, valid or not. */
export interface FormDesign {
  /** `light` holds the values of both schemes, `dark` those that differ in the dark one. */
  readonly values: Readonly<Record<ColorScheme, ThemeValues>>
  readonly scheme: ThemeScheme
  readonly labelPlace: AppearanceLabels
  /** In both schemes. */
  readonly rules: readonly RuleLine[]
  readonly layout: FormLayout
  readonly locale: Language
  readonly direction: 'ltr' | 'rtl'
  readonly save: 'ask' | 'off'
  readonly hasButton: boolean
  readonly labels: Readonly<Partial<Record<FormLabel, string>>>
}

export function initialDesign(locale: Language): FormDesign {
  return {
    values: { light: {}, dark: {} },
    scheme: defaultScheme,
    labelPlace: 'above',
    rules: [],
    layout: 'stacked',
    locale,
    direction: 'ltr',
    save: 'ask',
    hasButton: true,
    labels: {},
  }
}

/** The options for `CardForm`: only valid values, and only those that differ from the form's defaults. */
export function toFrameOptions(design: FormDesign): FrameOptions {
  const { layout, locale, direction, save, hasButton, labels: labelInputs } = design
  const appearance = toAppearance(design)
  const labels = Object.fromEntries(Object.entries(labelInputs).filter(([, label]) => label.trim() !== ''))
  return {
    locale,
    save,
    ...(layout === 'stacked' ? {} : { layout }),
    ...(direction === 'ltr' ? {} : { direction }),
    ...(hasButton ? {} : { button: false }),
    ...(isEmpty(appearance) ? {} : { appearance }),
    ...(isEmpty(labels) ? {} : { labels }),
  }
}

function toAppearance({ values, scheme, labelPlace, rules: lines }: FormDesign): Appearance {
  const [both, dark] = [validValues(values.light), validValues(values.dark)]
  const variables = scheme === 'dark' ? { ...both, ...dark } : both
  const rules = toRules(lines)
  const hasDark = isOfBothSchemes(scheme) && !isEmpty(dark)
  return {
    ...(scheme === defaultScheme ? {} : { scheme }),
    ...(labelPlace === 'above' ? {} : { labels: labelPlace }),
    ...(isEmpty(variables) ? {} : { variables }),
    ...(isEmpty(rules) ? {} : { rules }),
    ...(hasDark ? { dark: { variables: dark } } : {}),
  }
}

/** Whether cardholders may see the form in both schemes. */
export function isOfBothSchemes(scheme: ThemeScheme): scheme is Exclude<ThemeScheme, ColorScheme> {
  return scheme !== 'light' && scheme !== 'dark'
}

/** Whether the form accepts the line's value. */
export function isValidLine({ selector, property, value }: RuleLine): boolean {
  const { rejected } = readRules({ [selector]: { [property]: value } })
  return rejected.length === 0
}

function toRules(lines: readonly RuleLine[]): AppearanceRules {
  const rules: Partial<Record<AppearanceSelector, AppearanceDeclarations>> = {}
  for (const line of lines) {
    const { selector, property, value } = line
    if (value !== '' && isValidLine(line)) rules[selector] = { ...rules[selector], [property]: value }
  }
  return rules
}

/** The effective value of a theme variable in a scheme: its own, the one for both schemes, or the form's default. */
export function themeValueIn(values: FormDesign['values'], colorScheme: ColorScheme, name: ThemeVariable): string {
  const own = colorScheme === 'dark' ? readThemeValue(name, values.dark[name]) : null
  return own ?? readThemeValue(name, values.light[name]) ?? themeTable[name][colorScheme]
}

/** `#rrggbb`, as a color input expects it. */
export function hexColorIn(values: FormDesign['values'], colorScheme: ColorScheme, name: ThemeColor): string {
  return toHex(rgbIn(values, colorScheme, name))
}

/** The design with the color that is suggested for a pair. A line of a rule is replaced, and the last one: it applies over `border`. */
export function withSuggestion(design: FormDesign, { colorScheme, of, property, suggestion }: LowContrastPair): FormDesign {
  const { values, rules } = design
  if (isVariable(of)) return { ...design, values: { ...values, [colorScheme]: { ...values[colorScheme], [of]: suggestion } } }
  const others = rules.filter((line) => line.selector !== of || line.property !== property)
  return { ...design, rules: [...others, { selector: of, property, value: suggestion }] }
}

/** Other names are those of rules, such as `.Button:hover`. */
export function isVariable(name: LowContrastPair['of']): name is ThemeColor {
  return themeVariables.some((variable) => variable === name)
}

/** Two colors with too little contrast, and the scheme in which they meet. */
export type LowContrastPair = ContrastProblem & { readonly colorScheme: ColorScheme }

/** Checks every scheme that a cardholder may see. */
export function listLowContrast({ values, scheme, labelPlace, rules: lines }: FormDesign): readonly LowContrastPair[] {
  const rules = readRules(toRules(lines)).passed
  return colorSchemes.flatMap((colorScheme) => {
    if (!isOfBothSchemes(scheme) && scheme !== colorScheme) return []
    const hasBorder = Number.parseFloat(themeValueIn(values, colorScheme, 'borderWidth')) > 0
    const colorOf = (name: ThemeColor): Rgb | null => readRgb(themeValueIn(values, colorScheme, name))
    const page = readRgb(themeTable.background[colorScheme]) ?? black
    return findContrastProblems({ colorOf, hasBorder, rules, labels: labelPlace, page }).map((pale) => ({ ...pale, colorScheme }))
  })
}

const black: Rgb = [0, 0, 0]

function rgbIn(values: FormDesign['values'], colorScheme: ColorScheme, name: ThemeColor): Rgb {
  return readRgb(themeValueIn(values, colorScheme, name)) ?? readRgb(themeTable[name][colorScheme]) ?? black
}

function validValues(values: ThemeValues): ThemeValues {
  return Object.fromEntries(themeVariables.flatMap((name) => (readThemeValue(name, values[name]) === null ? [] : [[name, values[name]]])))
}

function isEmpty(members: object): boolean {
  return Object.keys(members).length === 0
}
