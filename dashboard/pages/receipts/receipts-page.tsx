import { place } from '../../app/router.ts'
import { ReceiptDetail } from './receipt-detail.tsx'
import { ReceiptList } from './receipt-list.tsx'

/** /dashboard/receipts lists, /dashboard/receipts/<id> tells one. */
export function ReceiptsPage() {
  const [receiptId] = place.value.rest
  return receiptId === undefined ? <ReceiptList /> : <ReceiptDetail receiptId={receiptId} />
}
