import { useSignal } from '@preact/signals'
import type { Params, Result, Role } from '@tessera/contract/operations'
import type { ComponentChildren } from 'preact'

import { call } from '../../app/api.ts'
import { hasRole } from '../../app/session-state.ts'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { settingsPageText } from '../../messages/page-texts.ts'

export interface SettingsFormProps {
  readonly title: string
  /** The changes to save, or a text that says what is invalid; '' where the fields say it. */
  readonly readChanges: () => Params<'dashboard.settings.change'> | string
  readonly onSaved: () => void
  /** Who may change them. */
  readonly role?: Role
  readonly children: ComponentChildren
}

/** One group of settings with its own save button. */
export function SettingsForm({ title, readChanges, onSaved, role = 'developer', children }: SettingsFormProps) {
  const text = settingsPageText.current()
  const { isBusy, error, run } = useAction()
  const status = useSignal('')
  const save = async (): Promise<void> => {
    const changes = readChanges()
    status.value = typeof changes === 'string' ? changes : ''
    if (typeof changes === 'string') return
    await call('dashboard.settings.change', changes)
    status.value = text.saved
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
        <fieldset class="plain" disabled={!hasRole(role)}>
          {children}
        </fieldset>
        <ErrorMessage error={error.value} />
        <p role="status" class="form-status">
          {status.value}
        </p>
        {hasRole(role) && (
          <button type="submit" class="main" disabled={isBusy.value}>
            {text.save}
          </button>
        )}
      </form>
    </section>
  )
}

export type DashboardSettings = Result<'dashboard.settings.get'>

/** The props of every panel of the page. */
export interface SettingsPanelProps {
  readonly settings: DashboardSettings
  readonly onChanged: () => void
}
