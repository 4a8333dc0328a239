import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { pendingConfirmation, type PendingConfirmation } from '../../app/confirmation.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { messages } from '../../app/language.ts'
import { getPasskey, hasPasskeys } from '../../app/passkey.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Field, PasswordField } from '../../components/fields.tsx'
import { ErrorMessage, QueryResult } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { accountPageText } from '../../messages/page-texts.ts'

/** Asks who the user is while a call waits for it (`app/api.ts`). */
export function ConfirmIdentity() {
  const pending = pendingConfirmation.value
  return pending === null ? null : <ConfirmIdentityDialog pending={pending} />
}

function ConfirmIdentityDialog({ pending }: { pending: PendingConfirmation }) {
  const loading = useMessages(accountPageText)
  const query = useQuery('dashboard.session.confirmBegin', {})
  const title = loading === null ? accountPageText.current().confirmTitle : messages.value.loading
  return (
    <Dialog title={title} onClose={() => pending.done(false)}>
      {loading ?? <QueryResult query={query}>{(methods) => <ConfirmForm methods={methods} pending={pending} />}</QueryResult>}
    </Dialog>
  )
}

function ConfirmForm({ methods, pending }: { methods: Result<'dashboard.session.confirmBegin'>; pending: PendingConfirmation }) {
  const text = accountPageText.current()
  const password = useSignal('')
  const code = useSignal('')
  /** Each challenge is accepted once. */
  const request = useSignal(methods.passkey)
  const { isBusy, error, run } = useAction()
  const hasPasskey = methods.passkey !== null && hasPasskeys()
  const hasCode = methods.totp || methods.recoveryCodesLeft > 0
  const confirm = async (): Promise<void> => {
    await call('dashboard.session.confirm', methods.password ? { password: password.value } : { code: code.value.trim() })
    pending.done(true)
  }
  const confirmByPasskey = async (): Promise<void> => {
    const passkey = request.value ?? (await call('dashboard.session.confirmBegin', {})).passkey
    request.value = null
    if (passkey === null) return
    await call('dashboard.session.confirm', { passkey: await getPasskey(passkey) })
    pending.done(true)
  }
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault()
        void run(confirm)
      }}
    >
      <p>{formatMessage(text.confirmText, methods.minutes)}</p>
      {hasPasskey && (
        <button type="button" class="main" autofocus disabled={isBusy.value} onClick={() => void run(confirmByPasskey)}>
          {text.usePasskey}
        </button>
      )}
      {hasPasskey && hasCode && <p>{text.orCode}</p>}
      {methods.password && <PasswordField label={messages.value.password.current} value={password} hasFocus />}
      {hasCode && (
        <Field
          label={methods.totp ? text.code : text.recoveryCode}
          value={code.value}
          onInput={(value) => (code.value = value)}
          autocomplete="one-time-code"
          maxLength={24}
          isRequired
          hasFocus={!hasPasskey}
        />
      )}
      <ErrorMessage error={error.value} />
      <footer>
        <button type="button" disabled={isBusy.value} onClick={() => pending.done(false)}>
          {messages.value.cancel}
        </button>
        {(hasCode || methods.password) && (
          <button type="submit" class={hasPasskey ? '' : 'main'} disabled={isBusy.value}>
            {text.confirm}
          </button>
        )}
      </footer>
    </form>
  )
}
