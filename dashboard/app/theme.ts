import { effect, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

/** In the browser's store; above the signal, which reads it at once. */
const place = 'tessera.theme'

/** `auto` follows the system. */
export const theme = signal<Theme>(kept())

export function chooseTheme(wanted: Theme): void {
  theme.value = wanted
  localStorage.setItem(place, wanted)
}

function kept(): Theme {
  const word = localStorage.getItem(place)
  return word === 'light' || word === 'dark' ? word : 'auto'
}

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
})
