import { dashboardPath, route } from '../../app/router.ts'
import { receiptPageText } from '../../messages/page-texts.ts'

/** The two pages of payments: one by one, and by day. */
export function ReceiptTabs() {
  const text = receiptPageText.current()
  const isTotals = route.value.rest[0] === totalsSegment
  const current = { 'aria-current': 'page' as const }
  return (
    <p class="tabs">
      <a href={dashboardPath('receipts')} {...(isTotals ? {} : current)}>
        {text.list}
      </a>
      <a href={dashboardPath(`receipts/${totalsSegment}`)} {...(isTotals ? current : {})}>
        {text.totals}
      </a>
    </p>
  )
}

/** In place of a receipt's id, whose form it does not have. */
export const totalsSegment = 'totals'
