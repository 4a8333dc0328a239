import { useSignal } from '@preact/signals'

import { asRefused } from '../../app/ask.ts'
import { call, type Refused } from '../../app/call.ts'
import { words } from '../../app/language.ts'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'

/** Changes the user's own password. */
export function PasswordForm({ onDone }: { onDone: () => Promise<void> | void }) {
  const text = words.value.password
  const present = useSignal('')
  const wanted = useSignal('')
  const refused = useSignal<Refused | null>(null)
  const isBusy = useSignal(false)
  const submit = async (): Promise<void> => {
    isBusy.value = true
    try {
      await call('dashboard.password.change', { password: present.value, newPassword: wanted.value })
      present.value = wanted.value = ''
      refused.value = null
      await onDone()
    } catch (err) {
      refused.value = asRefused(err)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Field
        {...{ label: text.present, type: 'password', value: present.value, onInput: (value) => (present.value = value) }}
        {...{ autocomplete: 'current-password', isRequired: true, maxLength: 128 }}
      />
      <Field
        {...{ label: text.wanted, type: 'password', value: wanted.value, onInput: (value) => (wanted.value = value) }}
        {...{ hint: text.hint, autocomplete: 'new-password', isRequired: true, maxLength: 128 }}
      />
      <Refusal refused={refused.value} />
      <button type="submit" class="main" disabled={isBusy.value}>
        {text.deed}
      </button>
    </form>
  )
}
