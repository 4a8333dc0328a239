import { findPale, readRgb, toHex, type Pale, type Rgb } from '@tessera/contract/contrast'
import type { FormLabel, FormLayout, FrameOptions } from '@tessera/contract/frame'
import type { Language } from '@tessera/contract/profile'
import {
  readThemeValue,
  themeVariables,
  type ThemeColour,
  type ThemeScheme,
  type ThemeValues,
  type ThemeVariable,
} from '@tessera/contract/theme'
import { themeTable } from '@tessera/contract/theme-table'

export type Shade = 'light' | 'dark'

/** What is chosen in the form builder; nowhere but on the page. Texts stand as they were typed, right or not. */
export interface Choices {
  /** Of both shades, and what is otherwise in the dark one. */
  readonly values: Readonly<Record<Shade, ThemeValues>>
  readonly scheme: ThemeScheme
  readonly layout: FormLayout
  readonly locale: Language
  readonly direction: 'ltr' | 'rtl'
  readonly save: 'ask' | 'off'
  readonly hasButton: boolean
  readonly labels: Readonly<Partial<Record<FormLabel, string>>>
}

export const firstChoices = (locale: Language): Choices => ({
  ...{ values: { light: {}, dark: {} }, scheme: 'auto', layout: 'stacked', locale },
  ...{ direction: 'ltr', save: 'ask', hasButton: true, labels: {} },
})

/** The options of a CardForm: what the form does not have by itself, and what it takes. */
export function optionsOf({ values, scheme, layout, locale, direction, save, hasButton, labels: typed }: Choices): FrameOptions {
  const [both, dark] = [taken(values.light), taken(values.dark)]
  const theme = {
    ...(scheme === 'auto' ? {} : { scheme }),
    ...(scheme === 'dark' ? { ...both, ...dark } : both),
    ...(scheme === 'auto' && !isEmpty(dark) ? { dark } : {}),
  }
  const labels = Object.fromEntries(Object.entries(typed).filter(([, label]) => label.trim() !== ''))
  return {
    ...{ locale, save },
    ...(layout === 'stacked' ? {} : { layout }),
    ...(direction === 'ltr' ? {} : { direction }),
    ...(hasButton ? {} : { button: false }),
    ...(isEmpty(theme) ? {} : { theme }),
    ...(isEmpty(labels) ? {} : { labels }),
  }
}

/** What a shade has for a variable: its own, the one for both, or the form's. */
export function valueIn(values: Choices['values'], shade: Shade, name: ThemeVariable): string {
  const own = shade === 'dark' ? readThemeValue(name, values.dark[name]) : null
  return own ?? readThemeValue(name, values.light[name]) ?? themeTable[name][shade]
}

/** `#rrggbb`, as a colour input wants it. */
export function hexIn(values: Choices['values'], shade: Shade, name: ThemeColour): string {
  return toHex(rgbIn(values, shade, name))
}

/** Two colours that are too near, and in which shade. */
export type PaleIn = Pale & { readonly shade: Shade }

/** Of each shade that the cardholder may see. */
export function listPale({ values, scheme }: Choices): readonly PaleIn[] {
  return shades.flatMap((shade) => {
    if (scheme !== 'auto' && scheme !== shade) return []
    const hasBorder = Number.parseFloat(valueIn(values, shade, 'borderWidth')) > 0
    return findPale((name) => rgbIn(values, shade, name), hasBorder).map((pale) => ({ ...pale, shade }))
  })
}

export const shades = ['light', 'dark'] as const

function rgbIn(values: Choices['values'], shade: Shade, name: ThemeColour): Rgb {
  return readRgb(valueIn(values, shade, name)) ?? [0, 0, 0]
}

function taken(values: ThemeValues): ThemeValues {
  return Object.fromEntries(themeVariables.flatMap((name) => (readThemeValue(name, values[name]) === null ? [] : [[name, values[name]]])))
}

function isEmpty(members: object): boolean {
  return Object.keys(members).length === 0
}
