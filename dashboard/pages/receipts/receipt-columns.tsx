import type { Result } from '@tessera/contract/operations'

import { dashboardPath } from '../../app/router.ts'
import { CopyButton } from '../../components/copy.tsx'
import { CardLink, CustomerLink } from '../../components/links.tsx'
import { ReasonText } from '../../components/reason.tsx'
import type { TableColumn } from '../../components/table.tsx'
import { Money, ShortText, Time } from '../../components/values.tsx'
import { receiptPageText } from '../../messages/page-texts.ts'
import { ReceiptStatusTag } from './receipt-status.tsx'

export type PaymentRow = Result<'dashboard.receipts.list'>['receipts'][number]

export type ReceiptColumnName = 'status' | 'amount' | 'order' | 'customer' | 'card' | 'time' | 'paidTime' | 'refundTime' | 'id'

/** The columns of a table of payments, for pages that have loaded `receiptPageText` and `reasonText`. */
export function receiptColumns(names: readonly ReceiptColumnName[]): TableColumn<PaymentRow>[] {
  const text = receiptPageText.current()
  const columns: Readonly<Record<ReceiptColumnName, TableColumn<PaymentRow>>> = {
    status: {
      name: text.status,
      render: ({ status, reason }) => (
        <>
          <ReceiptStatusTag status={status} />
          {status === 'failed' && reason !== null && (
            <div>
              <ReasonText reason={reason} isBrief />
            </div>
          )}
        </>
      ),
    },
    amount: { name: text.amount, render: ({ amountTiyin }) => <Money tiyin={amountTiyin} />, isNumber: true },
    order: { name: text.order, render: ({ order }) => (order === '' ? '—' : <ShortText text={order} />), isMinor: true },
    customer: { name: text.customer, render: ({ customer }) => <CustomerLink customer={customer} />, isMinor: true },
    card: { name: text.card, render: ({ number, cardId }) => <CardLink cardId={cardId} number={number} />, isMinor: true },
    time: { name: text.time, render: ({ receiptId, createdAt }) => <ReceiptTime receiptId={receiptId} at={createdAt} /> },
    paidTime: { name: text.file.paidAt, render: ({ receiptId, capturedAt }) => <ReceiptTime receiptId={receiptId} at={capturedAt} /> },
    refundTime: {
      name: text.file.refundedAt,
      render: ({ receiptId, refundedAt }) => <ReceiptTime receiptId={receiptId} at={refundedAt} />,
    },
    id: { name: text.id, render: ({ receiptId }) => <CopyButton text={receiptId} label={receiptId.slice(-8)} />, isMinor: true },
  }
  return names.map((name) => columns[name])
}

function ReceiptTime({ receiptId, at }: { receiptId: string; at: number }) {
  return (
    <a href={dashboardPath(`receipts/${receiptId}`)}>
      <Time at={at} isShort />
    </a>
  )
}
