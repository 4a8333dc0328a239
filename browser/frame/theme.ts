import type { FormWarning } from '@tessera/contract/frame'
import { readThemeValue, themeSchemes, themeVariables } from '@tessera/contract/theme'

import type { Guarded } from './guard.ts'

/** What is to be told of a theme: names whose values are not taken, and colours that are too near in a scheme that it may be seen in. */
export interface ThemeFaults {
  readonly refused: readonly string[]
  readonly pale: readonly FormWarning[]
}

type Given = Readonly<Record<string, unknown>>

const { style, dataset } = document.documentElement
const system = matchMedia('(prefers-color-scheme: dark)')

/** Sets a theme on the document. A variable whose value is not taken keeps the form's own; colours that are too near are told, and stay as they were asked for. */
export function applyTheme({ dark, ...given }: Given): ThemeFaults {
  const { scheme: asked } = given
  const others = { ...(dark as Given | undefined) }
  const paint = (isDark: boolean): void => {
    dataset['scheme'] = isDark ? 'dark' : 'light'
    for (const name of themeVariables)
      style.setProperty(`--${name}`, (isDark ? readThemeValue(name, others[name]) : null) ?? readThemeValue(name, given[name]))
  }
  const { guard } = globalThis as Guarded
  const pale = schemes.flatMap((scheme, index) => {
    if (guard === undefined || asked === schemes[1 - index]) return []
    paint(scheme === 'dark')
    return guard(scheme)
  })
  const follow = (): void => paint(asked === 'dark' || (asked !== 'light' && system.matches))
  follow()
  system.onchange = follow
  const isTaken = (name: string, value: unknown): boolean =>
    themeVariables.some((known) => known === name && readThemeValue(known, value) !== null) ||
    (name === 'scheme' && themeSchemes.some((known) => known === value))
  return { refused: [...listRefused('theme.', given, isTaken), ...listRefused('theme.dark.', others, isTaken)], pale }
}

/** Names of what is not taken. An empty text is as none: so a page's own custom property reads where it has none. */
export function listRefused(prefix: string, given: Given, isTaken: (name: string, value: unknown) => boolean): string[] {
  return Object.entries(given).flatMap(([name, value]) => ((value ?? '') === '' || isTaken(name, value) ? [] : [prefix + name]))
}

const schemes = ['light', 'dark'] as const
