import type { AuditEntry } from '../../store/audit.ts'
import type { MerchantRow } from '../../store/merchants.ts'

/** An operation on a merchant and its actor. */
export type MerchantAction = Pick<AuditEntry, 'at' | 'actor' | 'action' | 'outcome'> & Partial<Pick<AuditEntry, 'requestId'>>

/** The audit entry for a change to a merchant; takes the row as it is after the change. */
export function merchantAuditEntry({ id, version, mac }: MerchantRow, action: MerchantAction): AuditEntry {
  return { requestId: '', ...action, merchantId: id, subject: id, version, mac }
}
