import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { complianceText } from './compliance-text.ts'
import type { Script } from './told.ts'

/** Asks why the page needs a script, and keeps the answer for the script as it is shown here. */
export function JudgeScript({ script, onClose, onDone }: { script: Script; onClose: () => void; onDone: () => void }) {
  const text = complianceText.now()
  const id = useId()
  const reason = useSignal(script.reason)
  const { isBusy, refused, run } = useDeed()
  const judge = async (judged: 'authorised' | 'refused'): Promise<void> => {
    const { scriptId, print } = script
    await call('dashboard.scripts.judge', { scriptId, print, judged, reason: reason.value.trim() })
    onDone()
  }
  const isSaid = reason.value.trim().length >= 3
  return (
    <Dialog title={text.judgeTitle} onClose={onClose} isHeld={isBusy.value}>
      <p>
        <code class="long">{script.address}</code>
      </p>
      {script.print === '' ? <p>{text.noPrint}</p> : <code class="long">{script.print}</code>}
      <div class="field">
        <label for={id}>{text.why}</label>
        <textarea id={id} rows={3} maxLength={500} value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
        <small>{text.whyHint}</small>
      </div>
      <Refusal refused={refused.value} />
      <footer>
        <button type="button" class="danger" disabled={!isSaid || isBusy.value} onClick={() => void run(() => judge('refused'), onClose)}>
          {text.refuse}
        </button>
        <button type="button" class="main" disabled={!isSaid || isBusy.value} onClick={() => void run(() => judge('authorised'), onClose)}>
          {text.authorise}
        </button>
      </footer>
    </Dialog>
  )
}
