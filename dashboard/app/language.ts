import { computed, effect, signal } from '@preact/signals'
import type { Language } from '@tessera/contract/profile'

import { en } from '../words/en.ts'
import { ru } from '../words/ru.ts'
import { uz } from '../words/uz.ts'

export const languages = { uz: 'Oʻzbekcha', ru: 'Русский', en: 'English' } as const satisfies Record<Language, string>

/** In the browser's store; above the signal, which reads it at once. */
const place = 'tessera.language'

/** Chosen by the user, or the browser's own. */
export const language = signal<Language>(chosen())

/** The shell's and the parts' words; a page brings its own with `wordsOf`. */
export const words = computed(() => shell[language.value])

/** The words of a page in the present language: three objects with the same keys, which the compiler checks. */
export function wordsOf<W>(all: Readonly<Record<Language, W>>): W {
  return all[language.value]
}

export function chooseLanguage(wanted: Language): void {
  language.value = wanted
  localStorage.setItem(place, wanted)
}

const shell = { en, ru, uz }

function chosen(): Language {
  const kept = localStorage.getItem(place) ?? navigator.language.slice(0, 2)
  return kept === 'ru' || kept === 'uz' ? kept : 'en'
}

effect(() => {
  document.documentElement.lang = language.value
})
