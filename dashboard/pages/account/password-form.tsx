import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { PasswordField } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'

/** Changes the user's own password. */
export function PasswordForm({ onDone }: { onDone?: () => Promise<void> }) {
  const text = messages.value.password
  const current = useSignal('')
  const next = useSignal('')
  const isDone = useSignal(false)
  const { isBusy, error, run } = useAction()
  const submit = async (): Promise<void> => {
    isDone.value = false
    await call('dashboard.password.change', { password: current.value, newPassword: next.value })
    current.value = next.value = ''
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
      <PasswordField label={text.current} value={current} />
      <PasswordField label={text.next} value={next} hint={text.hint} isNew />
      <ErrorMessage error={error.value} />
      <button type="submit" class="main" disabled={isBusy.value}>
        {text.submit}
      </button>
    </form>
  )
}
