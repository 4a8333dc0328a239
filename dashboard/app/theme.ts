import { effect, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

/** `auto` follows the system. */
export const theme = signal<Theme>(kept())

export function chooseTheme(wanted: Theme): void {
  theme.value = wanted
  localStorage.setItem(place, wanted)
}

const place = 'tessera.theme'

function kept(): Theme {
  const word = localStorage.getItem(place)
  return word === 'light' || word === 'dark' ? word : 'auto'
}

effect(() => {
  document.documentElement.dataset['theme'] = theme.value
})
