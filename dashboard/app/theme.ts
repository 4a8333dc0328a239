import { effect, signal } from '@preact/signals'

export type ColorTheme = 'auto' | 'light' | 'dark'

/** Declared above the signal, whose initial value is read with it. */
const storageKey = 'tessera.theme'

/** `auto` follows the system. */
export const theme = signal<ColorTheme>(readTheme())

export function setTheme(next: ColorTheme): void {
  theme.value = next
  localStorage.setItem(storageKey, next)
}

function readTheme(): ColorTheme {
  const stored = localStorage.getItem(storageKey)
  return stored === 'light' || stored === 'dark' ? stored : 'auto'
}

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
})
