import { findContrastProblems, readRgb, toHex, type ContrastProblem, type Rgb } from '@tessera/contract/contrast'
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

export type Shade = 'light' | 'dark'

/** The settings of the form builder. They exist only on the page. Texts are stored as typed, valid or not. */
export interface FormDesign {
  /** `light` holds the values of both shades, `dark` those that differ in the dark one. */
  readonly values: Readonly<Record<Shade, ThemeValues>>
  readonly scheme: ThemeScheme
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
    scheme: 'auto',
    layout: 'stacked',
    locale,
    direction: 'ltr',
    save: 'ask',
    hasButton: true,
    labels: {},
  }
}

/** The options for `CardForm`: only valid values, and only those that differ from the form's defaults. */
export function toFrameOptions({
  values,
  scheme,
  layout,
  locale,
  direction,
  save,
  hasButton,
  labels: labelInputs,
}: FormDesign): FrameOptions {
  const [both, dark] = [validValues(values.light), validValues(values.dark)]
  const theme = {
    ...(scheme === 'auto' ? {} : { scheme }),
    ...(scheme === 'dark' ? { ...both, ...dark } : both),
    ...(scheme === 'auto' && !isEmpty(dark) ? { dark } : {}),
  }
  const labels = Object.fromEntries(Object.entries(labelInputs).filter(([, label]) => label.trim() !== ''))
  return {
    locale,
    save,
    ...(layout === 'stacked' ? {} : { layout }),
    ...(direction === 'ltr' ? {} : { direction }),
    ...(hasButton ? {} : { button: false }),
    ...(isEmpty(theme) ? {} : { theme }),
    ...(isEmpty(labels) ? {} : { labels }),
  }
}

/** The effective value of a theme variable in a shade: its own, the one for both shades, or the form's default. */
export function themeValueIn(values: FormDesign['values'], shade: Shade, name: ThemeVariable): string {
  const own = shade === 'dark' ? readThemeValue(name, values.dark[name]) : null
  return own ?? readThemeValue(name, values.light[name]) ?? themeTable[name][shade]
}

/** `#rrggbb`, as a color input expects it. */
export function hexColorIn(values: FormDesign['values'], shade: Shade, name: ThemeColor): string {
  return toHex(rgbIn(values, shade, name))
}

/** Two colors with too little contrast, and the shade in which they meet. */
export type LowContrastPair = ContrastProblem & { readonly shade: Shade }

/** Checks every shade that a cardholder may see. */
export function listLowContrast({ values, scheme }: FormDesign): readonly LowContrastPair[] {
  return shades.flatMap((shade) => {
    if (scheme !== 'auto' && scheme !== shade) return []
    const hasBorder = Number.parseFloat(themeValueIn(values, shade, 'borderWidth')) > 0
    return findContrastProblems((name) => rgbIn(values, shade, name), hasBorder).map((pale) => ({ ...pale, shade }))
  })
}

export const shades = ['light', 'dark'] as const

function rgbIn(values: FormDesign['values'], shade: Shade, name: ThemeColor): Rgb {
  return readRgb(themeValueIn(values, shade, name)) ?? [0, 0, 0]
}

function validValues(values: ThemeValues): ThemeValues {
  return Object.fromEntries(themeVariables.flatMap((name) => (readThemeValue(name, values[name]) === null ? [] : [[name, values[name]]])))
}

function isEmpty(members: object): boolean {
  return Object.keys(members).length === 0
}
