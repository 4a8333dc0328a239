import { findPale, readRgb } from '@tessera/contract/contrast'
import type { FormWarning } from '@tessera/contract/frame'

/** Measures the colours that the document has now, in the scheme that it shows. */
export type Guard = (scheme: 'light' | 'dark') => readonly FormWarning[]

/** Stands in the test environment's document alone (docs/decisions): where there is none, nothing is measured. */
export interface Guarded {
  guard?: Guard
}

const guard: Guard = (scheme) => {
  const seen = getComputedStyle(document.documentElement)
  const read = (name: string): string => seen.getPropertyValue(`--${name}`).trim()
  return findPale((name) => readRgb(read(name)) ?? [0, 0, 0], Number.parseFloat(read('borderWidth')) > 0).map((pale) => {
    const { of, on, ratio, needed, suggestion } = pale
    const said = `theme: ${of} on ${on} (${scheme}) has a contrast of ${String(ratio)}:1; WCAG 2.2 AA asks for ${String(needed)}:1`
    return { ...pale, reason: 'theme_contrast', scheme, message: `${said}, as ${suggestion} has` }
  })
}

Object.assign(globalThis, { guard } satisfies Guarded)
