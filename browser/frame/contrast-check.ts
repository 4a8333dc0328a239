import { findContrastProblems, readRgb } from '@tessera/contract/contrast'
import type { FormWarning } from '@tessera/contract/frame'

/** Measures the contrast of the document's current colors, which are those of `scheme`. */
export type ContrastCheck = (scheme: 'light' | 'dark') => readonly FormWarning[]

/** The global that this script sets. It is loaded in the test environment only (docs/decisions/0023-theme.md); elsewhere nothing is measured. */
export interface ContrastCheckGlobal {
  checkContrast?: ContrastCheck
}

const checkContrast: ContrastCheck = (scheme) => {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return findContrastProblems((name) => readRgb(read(name)) ?? [0, 0, 0], Number.parseFloat(read('borderWidth')) > 0).map((pair) => {
    const { of, on, ratio, needed, suggestion } = pair
    const message = `theme: ${of} on ${on} (${scheme}) has a contrast of ${String(ratio)}:1; WCAG 2.2 AA requires ${String(needed)}:1, for example ${suggestion}`
    return { ...pair, reason: 'theme_contrast', scheme, message }
  })
}

Object.assign(globalThis, { checkContrast } satisfies ContrastCheckGlobal)
