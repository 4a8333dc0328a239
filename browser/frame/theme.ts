import type { FormWarning } from '@tessera/contract/frame'
import { readThemeValue, themeSchemes, themeVariables } from '@tessera/contract/theme'

import type { ContrastCheckGlobal } from './contrast-check.ts'

/** What is wrong with a theme: options that were rejected, and colors with too little contrast in a scheme that may be shown. */
export interface ThemeProblems {
  readonly rejected: readonly string[]
  readonly warnings: readonly FormWarning[]
}

type Options = Readonly<Record<string, unknown>>

const { style, dataset } = document.documentElement
const darkPreference = matchMedia('(prefers-color-scheme: dark)')

/**
 * Applies a theme to the document. A variable with an invalid value keeps the form's default. Colors with too little contrast are reported,
 * and applied as requested.
 */
export function applyTheme({ dark, ...base }: Options): ThemeProblems {
  const { scheme: requestedScheme } = base
  const darkValues = { ...(dark as Options | undefined) }
  const paint = (isDark: boolean): void => {
    dataset['scheme'] = isDark ? 'dark' : 'light'
    for (const name of themeVariables)
      style.setProperty(`--${name}`, (isDark ? readThemeValue(name, darkValues[name]) : null) ?? readThemeValue(name, base[name]))
  }
  const { checkContrast } = globalThis as ContrastCheckGlobal
  const warnings = schemes.flatMap((scheme, index) => {
    if (checkContrast === undefined || requestedScheme === schemes[1 - index]) return []
    paint(scheme === 'dark')
    return checkContrast(scheme)
  })
  const followPreference = (): void => paint(requestedScheme === 'dark' || (requestedScheme !== 'light' && darkPreference.matches))
  followPreference()
  darkPreference.onchange = followPreference
  const isValid = (name: string, value: unknown): boolean =>
    themeVariables.some((variable) => variable === name && readThemeValue(variable, value) !== null) ||
    (name === 'scheme' && themeSchemes.some((scheme) => scheme === value))
  return { rejected: [...listRejected('theme.', base, isValid), ...listRejected('theme.dark.', darkValues, isValid)], warnings }
}

/** The names of invalid options. An empty text counts as absent: a page that reads its own custom properties gets one for a missing one. */
export function listRejected(prefix: string, options: Options, isValid: (name: string, value: unknown) => boolean): string[] {
  return Object.entries(options).flatMap(([name, value]) => ((value ?? '') === '' || isValid(name, value) ? [] : [prefix + name]))
}

const schemes = ['light', 'dark'] as const
