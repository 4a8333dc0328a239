import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { useClipboard } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorMessage, QueryResult } from '../../components/query-result.tsx'
import { Tag } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { download } from '../../format/csv.ts'
import type { ApiQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { accountPageText } from '../../messages/page-texts.ts'

/** How many recovery codes are left, and new ones. */
export function RecoveryCodes({ query, onCodes }: { query: ApiQuery<{ left: number }>; onCodes: (codes: readonly string[]) => void }) {
  const text = accountPageText.current()
  const { isBusy, error, run } = useAction()
  const renew = async (): Promise<void> => {
    onCodes((await call('dashboard.recoveryCodes.renew', {})).recoveryCodes)
    query.refetch()
  }
  return (
    <>
      <p>{text.recoveryCodesText}</p>
      <QueryResult query={query}>
        {({ left }) => (
          <p>
            <Tag tone={left > 3 ? 'green' : left > 0 ? 'amber' : 'red'}>{formatMessage(text.left, left)}</Tag>
          </p>
        )}
      </QueryResult>
      <ErrorMessage error={error.value} />
      <div class="renewal">
        <button type="button" disabled={isBusy.value} aria-describedby="renew-hint" onClick={() => void run(renew)}>
          {text.renew}
        </button>
        <small id="renew-hint">{text.renewHint}</small>
      </div>
    </>
  )
}

/** New recovery codes, which the service shows only once. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = accountPageText.current()
  const lines = codes.join('\n')
  const { status, copy } = useClipboard(() => lines)
  const isSaved = useSignal(false)
  return (
    <Dialog title={text.newCodes} onClose={onClose} isLocked={!isSaved.value}>
      <p>{text.newCodesText}</p>
      <ol class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="actions">
        <button type="button" onClick={() => void copy()}>
          <span aria-live="polite">{status.value ?? text.copyCodes}</span>
        </button>
        <button type="button" onClick={() => download('tessera-recovery-codes.txt', 'text/plain', `${lines}\n`)}>
          {text.download}
        </button>
        <button type="button" onClick={() => print()}>
          {text.print}
        </button>
      </div>
      <label class="saved">
        <input type="checkbox" checked={isSaved.value} onChange={(event) => (isSaved.value = event.currentTarget.checked)} /> {text.saved}
      </label>
      <footer>
        <button type="button" class="main" disabled={!isSaved.value} onClick={onClose}>
          {messages.value.close}
        </button>
      </footer>
    </Dialog>
  )
}
