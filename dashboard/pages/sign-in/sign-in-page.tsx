import { useSignal } from '@preact/signals'

import { Preferences } from '../../app/account-menu.tsx'
import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { hasSessionExpired } from '../../app/session-state.ts'
import { Field, PasswordField } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'

/** Phone and password, then the code if the second factor is on. */
export function SignInPage({ onDone }: { onDone: () => Promise<void> }) {
  const text = messages.value.signIn
  const phone = useSignal('')
  const password = useSignal('')
  const code = useSignal('')
  const needsCode = useSignal(false)
  const { isBusy, error, run } = useAction()
  const submit = async (): Promise<void> => {
    const digits = phone.value.replace(/\D/g, '')
    const credentials = { phone: digits, password: password.value, ...(needsCode.value ? { code: code.value } : {}) }
    const { needs } = await call('dashboard.session.signIn', credentials)
    if (needs === 'totp') needsCode.value = true
    else {
      hasSessionExpired.value = false
      await onDone()
    }
  }
  const goBack = async (): Promise<void> => {
    needsCode.value = false
    code.value = ''
  }
  return (
    <main class="signed-out">
      <span class="brand">
        <i aria-hidden="true" />
        Tessera
      </span>
      <h1>{needsCode.value ? text.codeTitle : text.title}</h1>
      {hasSessionExpired.value && <p role="status">{text.ended}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(submit)
        }}
      >
        {needsCode.value ? (
          <Field
            label={text.code}
            value={code.value}
            onInput={(value) => (code.value = value)}
            inputMode="numeric"
            autocomplete="one-time-code"
            maxLength={6}
            isRequired
            hasFocus
          />
        ) : (
          <>
            <Field
              label={text.phone}
              type="tel"
              value={phone.value}
              onInput={(value) => (phone.value = value)}
              hint={text.phoneHint}
              autocomplete="username"
              isRequired
              hasFocus
            />
            <PasswordField label={text.password} value={password} />
          </>
        )}
        <ErrorMessage error={error.value} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy.value}>
            {text.submit}
          </button>
          {needsCode.value && (
            <button type="button" disabled={isBusy.value} onClick={() => void run(goBack)}>
              {text.back}
            </button>
          )}
        </div>
      </form>
      <Preferences />
    </main>
  )
}
