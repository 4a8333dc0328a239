import { useSignal } from '@preact/signals'
import type { Params } from '@tessera/contract/methods'
import type { ComponentChildren } from 'preact'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { may } from '../../app/session-state.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { settingsText } from './settings-text.ts'

export interface SavingProps {
  readonly title: string
  /** What is to be saved; a sentence where it is not right yet. */
  readonly wanted: () => Params<'dashboard.settings.change'> | string
  readonly onSaved: () => void
  readonly children: ComponentChildren
}

/** One group of settings with a button of its own; it says when it is saved, and what was refused stays to be read. */
export function Saving({ title, wanted, onSaved, children }: SavingProps) {
  const text = settingsText.now()
  const { isBusy, refused, run } = useDeed()
  const said = useSignal('')
  const save = async (): Promise<void> => {
    const change = wanted()
    said.value = typeof change === 'string' ? change : ''
    if (typeof change === 'string') return
    await call('dashboard.settings.change', change)
    said.value = text.saved
    onSaved()
  }
  return (
    <section class="panel">
      <h2>{title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(save)
        }}
      >
        <fieldset class="plain" disabled={!may('developer')}>
          {children}
        </fieldset>
        <Refusal refused={refused.value} />
        <p role="status" class="said">
          {said.value}
        </p>
        {may('developer') && (
          <button type="submit" disabled={isBusy.value}>
            {text.save}
          </button>
        )}
      </form>
    </section>
  )
}
