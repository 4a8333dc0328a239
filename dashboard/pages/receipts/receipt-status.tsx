import type { ReceiptStatus } from '@tessera/contract/receipt-status'

import { Tag, type Tone } from '../../components/values.tsx'
import { receiptPageText } from '../../messages/page-texts.ts'

/** A receipt's status in words, with a sign and a colour: none of them alone says it. Null: its row was changed outside the service. */
export function ReceiptStatusTag({ status }: { status: ReceiptStatus | null }) {
  const { statuses, tampered } = receiptPageText.current()
  const [tone, sign] = status === null ? (['red', '!'] as const) : looks[status]
  return (
    <Tag tone={tone} sign={sign}>
      {status === null ? tampered : statuses[status]}
    </Tag>
  )
}

const looks: Readonly<Record<ReceiptStatus, readonly [Tone, string]>> = {
  open: ['grey', '○'],
  processing: ['blue', '…'],
  paid: ['green', '✓'],
  failed: ['red', '✕'],
  authorized: ['blue', '◐'],
  captured: ['green', '✓'],
  refunding: ['amber', '↩'],
  refunded: ['grey', '↩'],
  voided: ['grey', '⊘'],
  expired: ['grey', '⏱'],
  cancelled: ['grey', '⊘'],
  pending_confirmation: ['amber', '?'],
  needs_review: ['red', '!'],
}
