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
  const isBegun = !isOn && secret.value !== null
  /** What was typed is used up: a code is good once. */
  const goOn = (next: string | null): void => {
    secret.value = next
    password.value = code.value = ''
  }
  const begin = async (): Promise<void> => goOn((await call('dashboard.totp.begin', { password: password.value })).secret)
  const confirm = async (): Promise<void> => {
    await call('dashboard.totp.confirm', { code: code.value })
    tellTurned(true)
    goOn(null)
  }
  const remove = async (): Promise<void> => {
    await call('dashboard.totp.remove', { password: password.value, code: code.value })
    tellTurned(false)
    goOn(null)
  }
  const cancel = async (): Promise<void> => goOn(null)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void run(isOn ? remove : isBegun ? confirm : begin)
      }}
    >
      <p>
        <Tag tone={isOn ? 'green' : 'grey'}>{isOn ? text.on : text.off}</Tag>
      </p>
      {isBegun && (
        <p>
          {text.secret} <Copy text={secret.value ?? ''} />
        </p>
      )}
      {!isBegun && (
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
      {(isOn || isBegun) && (
        <Field
          {...{ label: words.value.signIn.code, value: code.value, onInput: (value) => (code.value = value), inputMode: 'numeric' }}
          {...{ autocomplete: 'one-time-code', isRequired: true, maxLength: 6, isFirst: isBegun }}
        />
      )}
      <Refusal refused={refused.value} />
      <div class="deeds">
        <button type="submit" disabled={isBusy.value}>
          {isOn ? text.turnOff : text.turnOn}
        </button>
        {isBegun && (
          <button type="button" disabled={isBusy.value} onClick={() => void run(cancel)}>
            {words.value.cancel}
          </button>
        )}
      </div>
    </form>
  )
}

/** The service has said so: nothing else of the session is another. */
function tellTurned(totp: boolean): void {
  const now = session.peek()
  if (now) session.value = { ...now, totp }
}
