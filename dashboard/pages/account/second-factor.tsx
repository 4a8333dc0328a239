import { useSignal } from '@preact/signals'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { Copy } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'

/** Turns the second factor on, in two steps, or off. */
export function SecondFactor({ isOn }: { isOn: boolean }) {
  const text = words.value.totp
  const password = useSignal('')
  const code = useSignal('')
  const secret = useSignal<string | null>(null)
  const { isBusy, refused, run } = useDeed()
  const step = async (): Promise<void> => {
    if (isOn) await call('dashboard.totp.remove', { password: password.value, code: code.value })
    else if (secret.value === null) secret.value = (await call('dashboard.totp.begin', { password: password.value })).secret
    else await call('dashboard.totp.confirm', { code: code.value })
    if (secret.value === null || code.value !== '') session.value = (await call('dashboard.session.get', {})).session
    if (code.value !== '') secret.value = null
    password.value = code.value = ''
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void run(step)
      }}
    >
      <p>
        <Tag tone={isOn ? 'green' : 'grey'}>{isOn ? text.on : text.off}</Tag>
      </p>
      {secret.value !== null && (
        <p>
          {text.secret} <Copy text={secret.value} />
        </p>
      )}
      {secret.value === null && (
        <Field
          {...{
            label: words.value.password.present,
            type: 'password',
            value: password.value,
            onInput: (value) => (password.value = value),
          }}
          {...{ autocomplete: 'current-password', isRequired: true, maxLength: 128 }}
        />
      )}
      {(isOn || secret.value !== null) && (
        <Field
          {...{ label: words.value.signIn.code, value: code.value, onInput: (value) => (code.value = value), inputMode: 'numeric' }}
          {...{ autocomplete: 'one-time-code', isRequired: true, maxLength: 6 }}
        />
      )}
      <Refusal refused={refused.value} />
      <button type="submit" disabled={isBusy.value}>
        {isOn ? text.turnOff : text.turnOn}
      </button>
    </form>
  )
}
