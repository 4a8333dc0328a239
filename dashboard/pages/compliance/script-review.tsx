import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'
import { useId } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { compliancePageText } from '../../messages/page-texts.ts'

export type ScriptEntry = Result<'dashboard.scripts.list'>['scripts'][number]

/** Authorizes or rejects a script with a reason. The decision holds for the content the script has now (its fingerprint). */
export function ScriptReviewDialog({ script, onClose, onDone }: { script: ScriptEntry; onClose: () => void; onDone: () => void }) {
  const text = compliancePageText.current()
  const id = useId()
  const reason = useSignal(script.reason)
  const { isBusy, error, run } = useAction()
  const decide = async (decision: 'authorised' | 'refused'): Promise<void> => {
    const { scriptId, fingerprint } = script
    await call('dashboard.scripts.review', { scriptId, fingerprint, decision, reason: reason.value.trim() })
    onDone()
  }
  const hasReason = reason.value.trim().length >= 3
  return (
    <Dialog title={text.reviewTitle} onClose={onClose} isLocked={isBusy.value}>
      <p>
        <code class="long">{script.address}</code>
      </p>
      {script.fingerprint === '' ? <p>{text.noFingerprint}</p> : <code class="long">{script.fingerprint}</code>}
      <div class="field">
        <label for={id}>{text.reason}</label>
        <textarea id={id} rows={3} maxLength={500} value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
        <small>{text.reasonHint}</small>
      </div>
      <ErrorMessage error={error.value} />
      <footer>
        <button
          type="button"
          class="danger"
          disabled={!hasReason || isBusy.value}
          onClick={() => void run(() => decide('refused'), onClose)}
        >
          {text.reject}
        </button>
        <button
          type="button"
          class="main"
          disabled={!hasReason || isBusy.value}
          onClick={() => void run(() => decide('authorised'), onClose)}
        >
          {text.authorize}
        </button>
      </footer>
    </Dialog>
  )
}
