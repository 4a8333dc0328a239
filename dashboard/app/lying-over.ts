import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { place } from './router.ts'

/** Selectors of what lies over the page, and of the button that opens it. */
export interface LyingOver {
  readonly within: string
  readonly button: string
}

/** Closes what lies over the page: at Escape, with the focus back on its button, when one goes on by a press or by Tab, and with the next page. */
export function useLyingOver(isOpen: Signal<boolean>, { within, button }: LyingOver): void {
  const here = place.value
  useEffect(() => void (isOpen.value = false), [here])
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || !isOpen.peek()) return
      isOpen.value = false
      document.querySelector<HTMLElement>(button)?.focus()
    }
    const onElsewhere = ({ target }: Event): void => {
      if (target instanceof Element && target.closest(within) === null) isOpen.value = false
    }
    addEventListener('keydown', onKey)
    for (const name of elsewhere) addEventListener(name, onElsewhere)
    return () => {
      removeEventListener('keydown', onKey)
      for (const name of elsewhere) removeEventListener(name, onElsewhere)
    }
  }, [])
}

const elsewhere = ['click', 'focusin'] as const
