import type { ColorScheme } from '@tessera/contract/appearance-reader'
import type { FormWarning, FrameOptions } from '@tessera/contract/frame'

import { loadScript } from './load-script.ts'
import { isPageDark } from './page-scheme.ts'

/** What is wrong with an appearance: options that were rejected, and colors with too little contrast in a scheme that may be shown. */
export interface AppearanceProblems {
  readonly rejected: readonly string[]
  readonly warnings: readonly FormWarning[]
}

export type AppearanceOptions = Pick<FrameOptions, 'appearance' | 'theme'>
export type ApplyAppearance = (options: AppearanceOptions, colorScheme: ColorScheme, isMeasured: boolean) => Promise<AppearanceProblems>

/** The global that the script of the appearance sets. */
export interface AppearanceGlobal {
  applyAppearance?: ApplyAppearance
}

/** The scheme of the cardholder's device. */
export const devicePreference = matchMedia('(prefers-color-scheme: dark)')
let loading: Promise<void> | undefined

/**
 * Shows the form in its scheme, and with the appearance of the page. The script that reads an appearance is loaded when there is one, so that no
 * other form waits for it. Without that script the form is shown as it is: cards can be entered all the same.
 */
export async function showAppearance(
  options: AppearanceOptions,
  pageColors: readonly string[] | undefined,
  isMeasured: boolean,
): Promise<AppearanceProblems> {
  const { appearance, theme } = options
  if (appearance !== undefined || theme !== undefined) loading ??= loadScript('appearance').catch(() => void (loading = undefined))
  if (loading !== undefined) await loading
  const { scheme = theme?.scheme ?? 'page' } = appearance ?? {}
  const hasDarkPage = scheme === 'auto' ? undefined : pageColors && isPageDark(pageColors)
  const shown = scheme === 'dark' || scheme === 'light' ? scheme : (hasDarkPage ?? devicePreference.matches) ? 'dark' : 'light'
  document.documentElement.dataset['scheme'] = shown
  const { applyAppearance } = globalThis as AppearanceGlobal
  return applyAppearance?.(options, shown, isMeasured) ?? { rejected: [], warnings: [] }
}
