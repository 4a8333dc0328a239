import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { language } from '../../app/language.ts'
import { Field } from '../../components/fields.tsx'
import { formatSom, parseSomInput } from '../../format/numbers.ts'
import { settingsPageText } from '../../messages/page-texts.ts'
import { amountProblem } from './amounts.tsx'
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

/** When users have to prove who they are. Only an owner changes it. */
export function UserSecurity({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const requireSecondFactor = useSignal(settings.requireSecondFactor)
  const largest = useSignal(formatSom(settings.refundUnconfirmedMaxTiyin, language.value))
  const problem = useSignal('')
  const readChanges = () => {
    const refundUnconfirmedMaxTiyin = parseSomInput(largest.value)
    problem.value = amountProblem(refundUnconfirmedMaxTiyin, { mayBeZero: true })
    if (refundUnconfirmedMaxTiyin === null || problem.value !== '') return ''
    return { requireSecondFactor: requireSecondFactor.value, refundUnconfirmedMaxTiyin }
  }
  return (
    <SettingsForm title={text.userSecurity} readChanges={readChanges} onSaved={onChanged} role="owner">
      <Switch
        label={text.requireSecondFactor}
        hint={text.requireSecondFactorHint}
        isOn={requireSecondFactor.value}
        onChange={(isOn) => (requireSecondFactor.value = isOn)}
      />
      <Field
        label={text.refundUnconfirmedMax}
        value={largest.value}
        hint={text.refundUnconfirmedMaxHint}
        problem={problem.value}
        onInput={(value) => (largest.value = value)}
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
