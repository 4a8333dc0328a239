import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Field, PasswordField } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { Tag } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'

/** Turns the second factor on, in two steps, or off. */
export function SecondFactor({ isOn, onEnabled }: { isOn: boolean; onEnabled: (recoveryCodes: readonly string[]) => void }) {
  const text = messages.value.totp
  const password = useSignal('')
  const code = useSignal('')
  const secret = useSignal<string | null>(null)
  const { isBusy, error, run } = useAction()
  const isPending = !isOn && secret.value !== null
  /** Clears the inputs: a code works only once. */
  const proceed = (next: string | null): void => {
    secret.value = next
    password.value = code.value = ''
  }
  const begin = async (): Promise<void> => proceed((await call('dashboard.totp.begin', { password: password.value })).secret)
  const confirm = async (): Promise<void> => {
    const { recoveryCodes } = await call('dashboard.totp.confirm', { code: code.value })
    setTotp(true)
    proceed(null)
    onEnabled(recoveryCodes)
  }
  const remove = async (): Promise<void> => {
    await call('dashboard.totp.remove', { password: password.value })
    setTotp(false)
    proceed(null)
  }
  const cancel = async (): Promise<void> => proceed(null)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void run(isOn ? remove : isPending ? confirm : begin)
      }}
    >
      <p>
        <Tag tone={isOn ? 'green' : 'grey'}>{isOn ? text.on : text.off}</Tag>
      </p>
      {isPending && (
        <p>
          {text.secret} <CopyButton text={secret.value ?? ''} />
        </p>
      )}
      {!isPending && <PasswordField label={messages.value.password.current} value={password} />}
      {isPending && (
        <Field
          label={messages.value.signIn.code}
          value={code.value}
          onInput={(value) => (code.value = value)}
          inputMode="numeric"
          autocomplete="one-time-code"
          isRequired
          maxLength={6}
          hasFocus={isPending}
        />
      )}
      <ErrorMessage error={error.value} />
      <div class="actions">
        <button type="submit" disabled={isBusy.value}>
          {isOn ? text.turnOff : text.turnOn}
        </button>
        {isPending && (
          <button type="button" disabled={isBusy.value} onClick={() => void run(cancel)}>
            {messages.value.cancel}
          </button>
        )}
      </div>
    </form>
  )
}

/** Updates the session without loading it again. */
function setTotp(totp: boolean): void {
  const current = session.peek()
  if (current) session.value = { ...current, totp }
}
