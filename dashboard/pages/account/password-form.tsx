import { useSignal } from '@preact/signals'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words } from '../../app/language.ts'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'

/** Changes the user's own password, and says so. */
export function PasswordForm({ onDone }: { onDone?: () => Promise<void> }) {
  const text = words.value.password
  const present = useSignal('')
  const wanted = useSignal('')
  const isDone = useSignal(false)
  const { isBusy, refused, run } = useDeed()
  const submit = async (): Promise<void> => {
    isDone.value = false
    await call('dashboard.password.change', { password: present.value, newPassword: wanted.value })
    present.value = wanted.value = ''
    isDone.value = true
    await onDone?.()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void run(submit)
      }}
    >
      {isDone.value && <p role="status">{text.done}</p>}
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
