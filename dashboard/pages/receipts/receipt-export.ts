import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import type { ExportCell, ExportColumn, ExportPage, ExportSource } from '../../app/export-jobs.ts'
import { labelOf } from '../../messages/lookup.ts'
import { reasonText, receiptPageText } from '../../messages/page-texts.ts'
import { type ReceiptFilter, toReceiptListParams } from './receipt-filter.ts'

type ExportedPage = Result<'dashboard.receipts.export'>
type ExportedReceipt = ExportedPage['receipts'][number]

/** The filtered list of receipts as a file. Its texts have to be loaded. */
export function receiptExport(filter: ReceiptFilter): ExportSource {
  return {
    name: 'receipts',
    title: receiptPageText.current().label,
    list: 'receipts',
    conditions: toExportConditions({ ...filter, date: filter.date === 'created' ? '' : filter.date }, ['order', 'customer']),
    open() {
      let fields: readonly AccountColumn[] | null = null
      return async (after): Promise<ExportPage> => {
        const page = await call('dashboard.receipts.export', { ...toReceiptListParams(filter), after })
        fields ??= accountColumns(page)
        return {
          columns: receiptExportColumns(fields),
          rows: page.receipts.map((receipt) => toExportRow(receipt, fields ?? [])),
          next: page.next,
          atMost: page.atMost,
          unread: page.unreadEntries > unreadMin ? page.unreadEntries : 0,
        }
      }
    },
  }
}

export interface AccountColumn {
  readonly name: string
  readonly title: string
}

/** A column for each account field of the settings, and for those of the newest receipts that have others. */
export function accountColumns({ accountFields, receipts }: Pick<ExportedPage, 'accountFields' | 'receipts'>): AccountColumn[] {
  const used = receipts.flatMap(({ account }) => account.map(({ name, title }) => [name, { name, title }] as const))
  const configured = accountFields.map(({ name, title }) => [name, { name, title }] as const)
  return [...new Map([...configured, ...used.filter(([name]) => !accountFields.some((field) => field.name === name))]).values()].slice(
    0,
    fieldsMax,
  )
}

/** The columns of the file: the last account column has the fields of older receipts that none of the others has. */
export function receiptExportColumns(fields: readonly AccountColumn[]): ExportColumn[] {
  const text = receiptPageText.current().file
  const money = (header: string): ExportColumn[] => [
    { header: `${header}, ${text.som}`, kind: 'som' },
    { header: `${header}, ${text.tiyin}`, kind: 'integer' },
  ]
  const asText = (header: string): ExportColumn => ({ header, kind: 'text' })
  const at = (header: string): ExportColumn => ({ header: `${header} (UTC+5)`, kind: 'time' })
  return [
    asText(text.status),
    ...money(text.amount),
    ...money(text.captured),
    ...money(text.refunded),
    ...money(text.net),
    asText(text.order),
    ...fields.map((field) => asText(accountHeader(field))),
    asText(text.otherFields),
    asText(text.customer),
    asText(text.card),
    at(text.createdAt),
    at(text.paidAt),
    at(text.refundedAt),
    asText(text.reason),
    asText(text.receipt),
  ]
}

/** With the name of the field, since its title may be that of another column: `Order (order_id)` beside `Order`. A field without settings has its name as title. */
function accountHeader({ name, title }: AccountColumn): string {
  return title === '' || title === name ? `account.${name}` : `${title} (${name})`
}

export function toExportRow(receipt: ExportedReceipt, fields: readonly AccountColumn[]): ExportCell[] {
  const { status, amountTiyin, capturedTiyin, refundedTiyin, order, account, customer, number, createdAt, capturedAt, refundedAt } = receipt
  const { statuses, tampered } = receiptPageText.current()
  const netTiyin = capturedTiyin - refundedTiyin
  const others = account.filter(({ name }) => !fields.some((field) => field.name === name))
  const time = (at: number): number | null => (at === 0 ? null : at)
  return [
    status === null ? tampered : statuses[status],
    ...[amountTiyin, capturedTiyin, refundedTiyin, netTiyin].flatMap((tiyin) => [tiyin, tiyin]),
    order,
    ...fields.map(({ name }) => account.find((field) => field.name === name)?.value ?? null),
    others.length === 0 ? null : others.map(({ name, value }) => `${name}: ${value}`).join('; '),
    customer,
    number,
    time(createdAt),
    time(capturedAt),
    time(refundedAt),
    receipt.reason === null ? null : labelOf(reasonText.current().all, receipt.reason),
    receipt.receiptId,
  ]
}

/** Names of fields come from requests where none are configured. */
const fieldsMax = 30
/** A few changes are always on their way. */
const unreadMin = 1000
