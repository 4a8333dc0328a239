import { integer, quote, text } from '../column.ts'
import { sql } from '../statement.ts'
import type { AuditEntry, CardKey, CardReceipt, CardsAsk, ListedCard, TimePlace } from '../store.ts'
import type { Read } from '../unit.ts'
import { entryColumns, tellEntry } from './audit.ts'
import { cardColumns, tellListed } from './cards.ts'

const columns = cardColumns.join(', ')
const page = `(created_at, card_id) < ($3, $4) order by created_at desc, card_id desc limit $5`

const selectAll = sql`select ${columns} from cards where bucket = $1 and merchant_id = $2 and ${page}`
// The words of the index, so that it is used.
const selectByLastFour = sql`
  select ${columns} from cards where bucket = $1 and merchant_id = $2 and substr(masked_pan, length(masked_pan) - 3) = $6 and ${page}`
const selectByCustomer = sql`select ${columns} from cards where bucket = $1 and merchant_id = $2 and customer = $6 and ${page}`

/** Before everything, newest first. */
const first: TimePlace = { at: Number.MAX_SAFE_INTEGER, id: '' }

/** A merchant's cards, newest first, from behind `after`. */
export function listCards({ bucket, merchantId, after, count, by }: CardsAsk): Read<ListedCard[]> {
  const { at, id } = after ?? first
  const values = [bucket, merchantId, at, id, count]
  const tell: Read<ListedCard[]>['tell'] = (found) => found.map(tellListed)
  if (by === null) return { statement: selectAll, values, tell }
  if ('lastFour' in by) return { statement: selectByLastFour, values: [...values, by.lastFour], tell }
  return { statement: selectByCustomer, values: [...values, quote(by.customer)], tell }
}

const selectAudit = sql`
  select ${entryColumns.join(', ')} from audit where subject = $1 and merchant_id = $2 order by version desc, at desc limit $3`

/** What the audit tells of a subject, over all chains. */
export function listAuditOf(merchantId: string, subject: string, count: number): Read<AuditEntry[]> {
  return { statement: selectAudit, values: [subject, merchantId, count], tell: (found) => found.map(tellEntry) }
}

const selectReceipts = sql`
  select receipt_id, state, amount_tiyin, created_at, pay_time from receipts where bucket = $1 and card_id = $2 and card_id <> ''
    and merchant_id = $3 order by created_at desc, receipt_id desc limit $4`

/** The receipts that a card was given to, newest first. */
export function listReceiptsOfCard({ bucket, cardId, merchantId }: CardKey, count: number): Read<CardReceipt[]> {
  return {
    statement: selectReceipts,
    values: [bucket, cardId, merchantId, count],
    tell: (found) =>
      found.map((row) => ({
        receiptId: text(row, 'receipt_id'),
        state: integer(row, 'state'),
        amountTiyin: integer(row, 'amount_tiyin'),
        createdAt: integer(row, 'created_at'),
        payTime: integer(row, 'pay_time'),
      })),
  }
}
