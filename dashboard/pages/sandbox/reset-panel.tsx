import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { hasRole, session } from '../../app/session-state.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { sandboxPageText } from '../../messages/page-texts.ts'
import type { SandboxPanelProps } from './sandbox-panel.ts'

/** Deletes the test data. The merchant's id has to be typed first. */
export function ResetPanel({ change }: SandboxPanelProps) {
  const text = sandboxPageText.current()
  const isOpen = useSignal(false)
  const { isBusy, error, run } = useAction()
  const input = useSignal('')
  const merchantId = session.value?.merchantId ?? ''
  const open = (): void => {
    input.value = ''
    isOpen.value = true
  }
  const close = (): void => {
    isOpen.value = false
  }
  const reset = async (): Promise<void> => {
    const isComplete = await resetAll(merchantId)
    await change(() => Promise.resolve(), isComplete ? text.emptied : text.emptiedPartly)
  }
  return (
    <section class="panel">
      <h2>{text.empty}</h2>
      <p>{text.emptyText}</p>
      {hasRole('developer') && (
        <button type="button" class="danger" onClick={open}>
          {text.emptyConfirm}…
        </button>
      )}
      {isOpen.value && (
        <Dialog title={text.emptyTitle} onClose={close} isLocked={isBusy.value}>
          <p>{text.emptyWarning}</p>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (input.value.trim() === merchantId && !isBusy.value) void run(reset, close)
            }}
          >
            <p>
              {text.typeMerchantId} <code>{merchantId}</code>
            </p>
            <Field
              label={text.merchantId}
              value={input.value}
              autocomplete="off"
              maxLength={40}
              hasFocus
              onInput={(value) => (input.value = value)}
            />
            <ErrorMessage error={error.value} />
            <footer>
              <button type="button" disabled={isBusy.value} onClick={close}>
                {messages.value.cancel}
              </button>
              <button type="submit" class="danger" disabled={isBusy.value || input.value.trim() !== merchantId}>
                {text.emptyConfirm}
              </button>
            </footer>
          </form>
        </Dialog>
      )}
    </section>
  )
}

/** Deletes in several calls, so that none of them takes long. False if the maximum number of calls was not enough. */
async function resetAll(merchantId: string): Promise<boolean> {
  for (let calls = 0; calls < maxResetCalls; calls++) {
    if ((await call('dashboard.sandbox.reset', { merchantId })).isComplete) return true
  }
  return false
}

const maxResetCalls = 100
