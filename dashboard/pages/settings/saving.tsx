import { useSignal } from '@preact/signals'
import type { Params } from '@tessera/contract/methods'
import type { ComponentChildren } from 'preact'

import { asRefused } from '../../app/ask.ts'
import { call, type Refused } from '../../app/call.ts'
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
  const refused = useSignal<Refused | null>(null)
  const said = useSignal('')
  const isBusy = useSignal(false)
  const save = async (): Promise<void> => {
    const change = wanted()
    refused.value = null
    said.value = typeof change === 'string' ? change : ''
    if (typeof change === 'string') return
    isBusy.value = true
    try {
      await call('dashboard.settings.change', change)
      said.value = text.saved
      onSaved()
    } catch (err) {
      refused.value = asRefused(err)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <section class="panel">
      <h2>{title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
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
