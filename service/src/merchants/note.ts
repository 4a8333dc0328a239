import type { AuditNote, MerchantRow } from '../store/store.ts'

/** What was done to a merchant, and who did it. */
export type MerchantDeed = Pick<AuditNote, 'at' | 'actor' | 'action' | 'outcome'>

/** The audit note of a change to a merchant; `left` is the row that the change leaves. */
export function noteMerchant({ id, version, mac }: MerchantRow, deed: MerchantDeed): AuditNote {
  return { ...deed, merchantId: id, subject: id, version, mac, requestId: '' }
}
