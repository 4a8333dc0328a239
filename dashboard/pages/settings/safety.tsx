import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { Saving } from './saving.tsx'
import type { PartOfSettings } from './settings-part.ts'
import { settingsText } from './settings-text.ts'

/** Two switches that make the taking of cards stricter. */
export function Safety({ settings, onChanged }: PartOfSettings) {
  const text = settingsText.now()
  const requireFormSessions = useSignal(settings.requireFormSessions)
  const strictServerAuth = useSignal(settings.strictServerAuth)
  const wanted = () => ({ requireFormSessions: requireFormSessions.value, strictServerAuth: strictServerAuth.value })
  return (
    <Saving title={text.safety} wanted={wanted} onSaved={onChanged}>
      <Switch
        {...{ label: text.requireFormSessions, hint: text.requireFormSessionsHint, isOn: requireFormSessions.value }}
        onChange={(isOn) => (requireFormSessions.value = isOn)}
      />
      <Switch
        {...{ label: text.strictServerAuth, hint: text.strictServerAuthHint, isOn: strictServerAuth.value }}
        onChange={(isOn) => (strictServerAuth.value = isOn)}
      />
    </Saving>
  )
}

function Switch(props: { label: string; hint: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  const id = useId()
  return (
    <div class="switch">
      <input
        {...{ id, type: 'checkbox', checked: props.isOn }}
        aria-describedby={`${id}-hint`}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <label for={id}>{props.label}</label>
      <small id={`${id}-hint`}>{props.hint}</small>
    </div>
  )
}
