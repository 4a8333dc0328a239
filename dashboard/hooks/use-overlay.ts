import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { route } from '../app/router.ts'

/** CSS selectors of an overlay and of the button that opens it. */
export interface OverlaySelectors {
  readonly within: string
  readonly button: string
}

/** Closes an overlay (a menu, a drawer) on Escape, which gives the focus back to its button, on a click or focus outside of it, and on navigation. */
export function useOverlay(isOpen: Signal<boolean>, { within, button }: OverlaySelectors): void {
  const currentRoute = route.value
  useEffect(() => void (isOpen.value = false), [currentRoute])
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || !isOpen.peek()) return
      isOpen.value = false
      document.querySelector<HTMLElement>(button)?.focus()
    }
    const onOutside = ({ target }: Event): void => {
      if (target instanceof Element && target.closest(within) === null) isOpen.value = false
    }
    addEventListener('keydown', onKey)
    for (const name of outsideEvents) addEventListener(name, onOutside)
    return () => {
      removeEventListener('keydown', onKey)
      for (const name of outsideEvents) removeEventListener(name, onOutside)
    }
  }, [])
}

const outsideEvents = ['click', 'focusin'] as const
