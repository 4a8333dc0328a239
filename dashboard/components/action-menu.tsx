import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

import { messages } from '../app/language.ts'

export interface MenuAction {
  readonly label: string
  readonly isDanger?: boolean
  readonly onSelect: () => void
}

/** Actions that are needed rarely, behind one button. `of` names for screen readers what they are about, since every row of a list has the same. */
export function ActionMenu({ of, actions, isDisabled = false }: { of: string; actions: readonly MenuAction[]; isDisabled?: boolean }) {
  const isOpen = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const close = (): void => {
    isOpen.value = false
    box.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    const onOutside = ({ target }: Event): void => {
      if (!(target instanceof Node) || box.current?.contains(target) !== true) isOpen.value = false
    }
    for (const name of outsideEvents) addEventListener(name, onOutside)
    return () => {
      for (const name of outsideEvents) removeEventListener(name, onOutside)
    }
  }, [])
  const whose = <span class="visually-hidden">{of}</span>
  return (
    <div class="action-menu" ref={box} onKeyDown={({ key }) => key === 'Escape' && isOpen.value && close()}>
      <button type="button" aria-expanded={isOpen.value} disabled={isDisabled} onClick={() => (isOpen.value = !isOpen.value)}>
        <span class="visually-hidden">{messages.value.moreActions}</span> {whose}
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 8h.01M8 8h.01M13 8h.01" />
        </svg>
      </button>
      {isOpen.value && (
        <div class="action-list">
          {actions.map(({ label, isDanger = false, onSelect }) => (
            <button
              key={label}
              type="button"
              class={isDanger ? 'danger' : ''}
              onClick={() => {
                // Before a dialog opens, which gives the focus back to where it was.
                close()
                onSelect()
              }}
            >
              {label} {whose}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

const outsideEvents = ['click', 'focusin'] as const
