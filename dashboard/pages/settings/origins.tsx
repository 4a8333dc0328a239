import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { settingsPageText } from '../../messages/page-texts.ts'
import { type SettingsPanelProps, SettingsForm } from './settings-form.tsx'

/** The origins of the merchant's pages, one per line. */
export function OriginsForm({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const id = useId()
  const input = useSignal(settings.origins.join('\n'))
  const readChanges = () => ({
    origins: input.value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  })
  return (
    <SettingsForm title={text.origins} readChanges={readChanges} onSaved={onChanged}>
      <div class="field">
        <label class="visually-hidden" for={id}>
          {text.origins}
        </label>
        <textarea
          id={id}
          rows={4}
          spellcheck={false}
          value={input.value}
          aria-describedby={`${id}-hint`}
          onInput={(event) => (input.value = event.currentTarget.value)}
        />
        <small id={`${id}-hint`}>{text.originsHint}</small>
      </div>
    </SettingsForm>
  )
}
