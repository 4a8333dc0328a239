import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { settingsPageText } from '../../messages/page-texts.ts'
import { type SettingsPanelProps, SettingsForm } from './settings-form.tsx'

/** Two switches that make card entry stricter. */
export function SecuritySwitches({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const requireFormSessions = useSignal(settings.requireFormSessions)
  const strictServerAuth = useSignal(settings.strictServerAuth)
  const readChanges = () => ({ requireFormSessions: requireFormSessions.value, strictServerAuth: strictServerAuth.value })
  return (
    <SettingsForm title={text.cardEntry} readChanges={readChanges} onSaved={onChanged}>
      <Switch
        label={text.requireFormSessions}
        hint={text.requireFormSessionsHint}
        isOn={requireFormSessions.value}
        onChange={(isOn) => (requireFormSessions.value = isOn)}
      />
      <Switch
        label={text.strictServerAuth}
        hint={text.strictServerAuthHint}
        isOn={strictServerAuth.value}
        onChange={(isOn) => (strictServerAuth.value = isOn)}
      />
    </SettingsForm>
  )
}

function Switch(props: { label: string; hint: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  const id = useId()
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        checked={props.isOn}
        aria-describedby={`${id}-hint`}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <label for={id}>{props.label}</label>
      <small id={`${id}-hint`}>{props.hint}</small>
    </div>
  )
}
