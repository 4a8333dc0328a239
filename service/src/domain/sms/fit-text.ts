import type { Language } from '@tessera/contract/envelope'
import { countSmsSegments } from '@tessera/contract/sms-text'

import { toGsmName } from './gsm-names.ts'

/** How many segments a message may have: each is charged, and counted by the cost cap. Cyrillic takes UCS-2, of which a segment holds 70 characters. */
export const maxSmsSegments: Readonly<Record<Language, number>> = Object.freeze({ en: 1, ru: 2, uz: 1 })

/** A text that contains names, which are cut where there is no room for them. */
export type TextOfNames = (names: readonly string[]) => string

/**
 * The first of the variants, from the longest to the shortest, that fits its language's segments. Names are cut, the longest first: down to twelve characters
 * before the next variant is tried, and of the last variant altogether.
 */
export function fitSmsText(language: Language, names: readonly string[], variants: readonly TextOfNames[]): string {
  const lines = names.map((name) =>
    Array.from(name.slice(0, 2 * longestName).replaceAll(/\p{Cc}+/gu, ' '))
      .slice(0, longestName)
      .join(''),
  )
  const written = language === 'ru' ? lines : lines.map(toGsmName)
  const max = maxSmsSegments[language]
  for (const variant of variants) {
    const text = cutToFit(variant, written, { max, shortest: shortestName })
    if (text !== null) return text
  }
  const last = variants.at(-1)
  return (last === undefined ? null : cutToFit(last, written, { max, shortest: 0 })) ?? last?.(names.map(() => '')) ?? ''
}

function cutToFit(variant: TextOfNames, names: readonly string[], { max, shortest }: { readonly max: number; readonly shortest: number }) {
  let cut = names.map((name) => Array.from(name))
  for (;;) {
    const text = variant(cut.map((name) => name.join('').trimEnd()))
    if (countSmsSegments(text) <= max) return text
    const longest = Math.max(...cut.map((name) => name.length))
    if (longest <= shortest) return null
    const at = cut.findIndex((name) => name.length === longest)
    cut = cut.map((name, index) => (index === at ? name.slice(0, -1) : name))
  }
}

const shortestName = 12
/** So that a long name costs no time to cut. */
const longestName = 60
