import { computed, effect, signal } from '@preact/signals'
import type { Language } from '@tessera/contract/profile'

import { commonEn } from '../messages/en.ts'
import { commonRu } from '../messages/ru.ts'
import { commonUz } from '../messages/uz.ts'

export const languageNames = { uz: 'Oʻzbekcha', ru: 'Русский', en: 'English' } as const satisfies Record<Language, string>

/** Declared above the signal, whose initial value is read with it. */
const storageKey = 'tessera.language'

/** The language the user has chosen, or the browser's. */
export const language = signal<Language>(readLanguage())

/** The texts of the shell and of the shared components. Each page loads its own (messages/page-texts.ts). */
export const messages = computed(() => commonMessages[language.value])

export function setLanguage(next: Language): void {
  language.value = next
  localStorage.setItem(storageKey, next)
}

const commonMessages = { en: commonEn, ru: commonRu, uz: commonUz }

function readLanguage(): Language {
  const stored = localStorage.getItem(storageKey) ?? navigator.language.slice(0, 2)
  return stored === 'ru' || stored === 'uz' ? stored : 'en'
}

effect(() => {
  document.documentElement.lang = language.value
})
