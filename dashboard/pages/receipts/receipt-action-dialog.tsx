import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'
import { type RefundReason, refundReasons } from '@tessera/contract/receipt-status'
import { useId } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { language, messages } from '../../app/language.ts'
import { DetailList } from '../../components/details.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { Money } from '../../components/values.tsx'
import { formatSom } from '../../format/numbers.ts'
import { useAction } from '../../hooks/use-action.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { auditLabelText, receiptActionText } from '../../messages/page-texts.ts'
import { fullCapture, readCaptureAmount, wasAccepted, type ReceiptAction } from './receipt-action.ts'

export interface ReceiptActionDialogProps {
  readonly action: ReceiptAction
  readonly receipt: Result<'dashboard.receipts.get'>['receipt']
  /** A refund above it asks who the user is. Tiyin. */
  readonly refundUnconfirmedMaxTiyin: number
  readonly onClose: () => void
  /** The service has accepted it. `isFoundOut`: not by its reply, but by what has become of the receipt. */
  readonly onDone: (isFoundOut: boolean) => void
}

/** Says what an action does with which money, asks why, and does it. Stays open with the error when it is refused. */
export function ReceiptActionDialog({ action, receipt, refundUnconfirmedMaxTiyin, onClose, onDone }: ReceiptActionDialogProps) {
  const { receiptId, amountTiyin, takenTiyin } = receipt
  const isCapture = action === 'capture'
  const wholeTiyin = action === 'cancel' ? amountTiyin : takenTiyin
  const typed = useSignal(fullCapture(takenTiyin, language.value))
  const reason = useSignal('')
  const note = useSignal('')
  const { isBusy, error, run } = useAction()
  const text = receiptActionText.current()
  const capture = readCaptureAmount(typed.value, takenTiyin)
  const som = (tiyin: number): string => `${formatSom(tiyin, language.value)}\u00a0${messages.value.som}`
  const isFoundOut = useSignal(false)
  const send = async (): Promise<void> => {
    if (isCapture) await call('dashboard.receipts.confirm', { receiptId, amountTiyin: capture.tiyin })
    else await call('dashboard.receipts.cancel', { receiptId, expected: action, reason: reason.value as RefundReason, note: note.value })
  }
  const submit = async (): Promise<void> => {
    try {
      await send()
    } catch (err) {
      // The reply of an action that was accepted may have been lost, and pressing again is then refused for that very reason.
      const details = await call('dashboard.receipts.get', { receiptId }).catch(() => null)
      if (details === null || !wasAccepted(action, details)) throw err
      isFoundOut.value = true
    }
  }
  return (
    <Dialog title={text[action].title} onClose={onClose} isLocked={isBusy.value}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isCapture && capture.problem !== null) return
          void run(submit, () => {
            onDone(isFoundOut.value)
            onClose()
          })
        }}
      >
        <p class="amount-large">
          <Money tiyin={isCapture ? capture.tiyin : wholeTiyin} />
        </p>
        <ActionSubject receipt={receipt} isCapture={isCapture} />
        {isCapture ? (
          <Field
            label={text.captureAmount}
            value={typed.value}
            onInput={(value) => (typed.value = value)}
            problem={capture.problem === null ? '' : formatMessage(text[capture.problem], som(takenTiyin))}
            hint={
              capture.problem !== null
                ? ''
                : capture.restTiyin === 0
                  ? text.captureAll
                  : formatMessage(text.captureRest, som(capture.restTiyin))
            }
            maxLength={20}
            isRequired
            hasFocus
          />
        ) : (
          <ReasonFields
            reason={reason.value}
            onReason={(value) => (reason.value = value)}
            note={note.value}
            onNote={(value) => (note.value = value)}
          />
        )}
        <p>
          <strong>{text.then}.</strong> {text[action].then}
        </p>
        {action === 'refund' && takenTiyin > refundUnconfirmedMaxTiyin && (
          <p>
            {refundUnconfirmedMaxTiyin === 0 ? text.confirmAlways : formatMessage(text.confirmIdentity, som(refundUnconfirmedMaxTiyin))}
          </p>
        )}
        <ErrorMessage error={error.value} />
        <footer>
          <button type="button" disabled={isBusy.value} onClick={onClose}>
            {text[action].dismiss}
          </button>
          <button type="submit" class={isCapture ? 'main' : 'danger'} disabled={isBusy.value}>
            {formatMessage(text[action].confirm, som(isCapture ? capture.tiyin : wholeTiyin))}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** Whose money it is. */
function ActionSubject({ receipt, isCapture }: Pick<ReceiptActionDialogProps, 'receipt'> & { isCapture: boolean }) {
  const text = receiptActionText.current()
  const { takenTiyin, number, order, customer } = receipt
  const details = [
    [text.held, isCapture ? <Money tiyin={takenTiyin} /> : null],
    [text.card, number === '' ? null : number],
    [text.order, order === '' ? null : order],
    [text.customer, customer === null || customer === '' ? null : customer],
  ] as const
  return <DetailList details={details} />
}

interface ReasonFieldsProps {
  readonly reason: string
  readonly onReason: (reason: string) => void
  readonly note: string
  readonly onNote: (note: string) => void
}

function ReasonFields({ reason, onReason, note, onNote }: ReasonFieldsProps) {
  const id = useId()
  const text = receiptActionText.current()
  const { reasons } = auditLabelText.current()
  return (
    <>
      <div class="field">
        <label for={id}>{text.reason}</label>
        <select id={id} value={reason} required autofocus onChange={(event) => onReason(event.currentTarget.value)}>
          <option value="" disabled>
            {text.chooseReason}
          </option>
          {refundReasons.map((each) => (
            <option key={each} value={each}>
              {reasons[each]}
            </option>
          ))}
        </select>
      </div>
      <Field label={text.note} value={note} onInput={onNote} hint={text.noteHint} maxLength={200} />
    </>
  )
}
