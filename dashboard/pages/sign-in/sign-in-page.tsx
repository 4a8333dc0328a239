import { useSignal } from '@preact/signals'

import { Choices } from '../../app/account-menu.tsx'
import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words } from '../../app/language.ts'
import { hasEnded } from '../../app/session-state.ts'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'

/** Phone and password, then the code where a second factor is on. */
export function SignInPage({ onDone }: { onDone: () => Promise<void> }) {
  const text = words.value.signIn
  const phone = useSignal('')
  const password = useSignal('')
  const code = useSignal('')
  const needsCode = useSignal(false)
  const { isBusy, refused, run } = useDeed()
  const submit = async (): Promise<void> => {
    const digits = phone.value.replace(/\D/g, '')
    const asked = { phone: digits, password: password.value, ...(needsCode.value ? { code: code.value } : {}) }
    const { needs } = await call('dashboard.session.signIn', asked)
    if (needs === 'totp') needsCode.value = true
    else {
      hasEnded.value = false
      await onDone()
    }
  }
  const goBack = async (): Promise<void> => {
    needsCode.value = false
    code.value = ''
  }
  return (
    <main class="door">
      <span class="brand">
        <i aria-hidden="true" />
        Tessera
      </span>
      <h1>{needsCode.value ? text.codeTitle : text.title}</h1>
      {hasEnded.value && <p role="status">{text.ended}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(submit)
        }}
      >
        {needsCode.value ? (
          <Field
            {...{ label: text.code, value: code.value, onInput: (value) => (code.value = value) }}
            {...{ inputMode: 'numeric', autocomplete: 'one-time-code', maxLength: 6, isRequired: true, isFirst: true }}
          />
        ) : (
          <>
            <Field
              {...{ label: text.phone, type: 'tel', value: phone.value, onInput: (value) => (phone.value = value) }}
              {...{ hint: text.phoneHint, autocomplete: 'username', isRequired: true, isFirst: true }}
            />
            <Field
              {...{ label: text.password, type: 'password', value: password.value, onInput: (value) => (password.value = value) }}
              {...{ autocomplete: 'current-password', isRequired: true, maxLength: 128 }}
            />
          </>
        )}
        <Refusal refused={refused.value} />
        <div class="deeds">
          <button type="submit" class="main" disabled={isBusy.value}>
            {text.deed}
          </button>
          {needsCode.value && (
            <button type="button" disabled={isBusy.value} onClick={() => void run(goBack)}>
              {text.back}
            </button>
          )}
        </div>
      </form>
      <Choices />
    </main>
  )
}
