import { correctInvisible, findContrastProblems, type AppearanceColors, type ContrastProblem } from '@tessera/contract/appearance-contrast'
import { colorSchemes, readAppearance, type ColorScheme, type ReadAppearance } from '@tessera/contract/appearance-reader'
import { findDarkShadows, measureRoom } from '@tessera/contract/appearance-shadows'
import { readRgb, type Rgb } from '@tessera/contract/contrast'
import type { FormWarning } from '@tessera/contract/frame'
import { themeLengths, themeVariables, type ThemeColor } from '@tessera/contract/theme'

import type { AppearanceOptions, AppearanceProblems } from '../show-appearance.ts'

import { measureExpiryWidth } from './expiry-width.ts'
import { showPageFont } from './page-font.ts'
import { writeRules } from './rules.ts'

const { style, dataset } = document.documentElement

/**
 * Applies an appearance to the document in one scheme. A member that is invalid keeps the form's default. Colors with too little contrast are
 * reported if `isMeasured`, and shown as requested, unless nobody could see them.
 */
export async function applyAppearance(
  options: AppearanceOptions,
  colorScheme: ColorScheme,
  isMeasured: boolean,
): Promise<AppearanceProblems> {
  const read = readAppearance(options.appearance, options.theme)
  const { scheme } = read
  const rejected = [...read.rejected]
  dataset['labels'] = read.labels
  // Whether a field is empty is seen by its placeholder alone.
  for (const input of document.querySelectorAll<HTMLInputElement>('.box input')) input.placeholder ||= ' '
  const warnings = colorSchemes.flatMap((each) => {
    if (!isMeasured || (scheme !== each && colorSchemes.some((fixed) => fixed === scheme))) return []
    return findContrastProblems(paint(read, each, rejected)).map((problem) => toWarning(problem, each))
  })
  paint(read, colorScheme, rejected)
  if (!(await showPageFont(options.appearance?.font))) rejected.push('appearance.font')
  return { rejected: [...new Set(rejected)], warnings }
}

/** Writes variables and rules of a scheme, and returns the colors as requested. Adds the names of the shadows that are left out to `rejected`. */
function paint(read: ReadAppearance, colorScheme: ColorScheme, rejected: string[]): AppearanceColors {
  const values = read.variables[colorScheme]
  dataset['scheme'] = colorScheme
  for (const name of themeVariables) style.removeProperty(`--${name}`)
  const computed = getComputedStyle(document.documentElement)
  const defaults = Object.fromEntries(themeColors.map((name) => [name, computed.getPropertyValue(`--${name}`).trim()])) as Record<
    ThemeColor,
    string
  >
  const colors: AppearanceColors = {
    colorOf: (name) => readRgb(values[name] ?? defaults[name]),
    hasBorder: Number.parseFloat(values.borderWidth ?? '1px') > 0,
    rules: read.rules[colorScheme],
    labels: read.labels,
    page: readRgb(defaults.background) ?? white,
  }
  const { variables, parts } = correctInvisible(colors, defaults)
  for (const name of themeVariables) {
    const value = variables[name as ThemeColor] ?? values[name]
    if (value !== undefined) style.setProperty(`--${name}`, value)
  }
  const shown = { ...colors, colorOf: (name: ThemeColor) => readRgb(variables[name] ?? values[name] ?? defaults[name]) }
  const dark = findDarkShadows(shown)
  for (const { part, state } of dark) rejected.push(`appearance.rules[${JSON.stringify(`.${part}${state}`)}].boxShadow`)
  const rules = read.rules[colorScheme].filter((rule) => !dark.includes(rule) && !(parts.includes(rule.part) && isColor(rule.property)))
  writeRules(rules)
  const expiry = measureExpiryWidth(rules)
  if (expiry === null) style.removeProperty('--expiry')
  else style.setProperty('--expiry', expiry)
  const { block, inline } = measureRoom(rules)
  style.setProperty('--room', `${String(block)}px ${String(inline)}px`)
  return colors
}

function isColor(property: string): boolean {
  return property === 'color' || property === 'backgroundColor'
}

function toWarning(problem: ContrastProblem, scheme: ColorScheme): FormWarning {
  const { of, on, ratio, needed, suggestion } = problem
  const message = `appearance: ${of} on ${on} (${scheme}) has a contrast of ${String(ratio)}:1; WCAG 2.2 AA requires ${String(needed)}:1, for example ${suggestion}`
  return { ...problem, reason: 'theme_contrast', scheme, message }
}

const themeColors = themeVariables.filter((name) => name !== 'fontFamily' && !(name in themeLengths)) as ThemeColor[]
const white: Rgb = [255, 255, 255]
