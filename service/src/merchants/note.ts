import type { AuditNote, MerchantRow } from '../store/store.ts'

/** What was done to a merchant, and who did it. */
export type MerchantDeed = Pick<AuditNote, 'at' | 'actor' | 'action' | 'outcome'> & Partial<Pick<AuditNote, 'requestId'>>

/** The audit note of a change to a merchant; `left` is the row that the change leaves. */
export function noteMerchant({ id, version, mac }: MerchantRow, deed: MerchantDeed): AuditNote {
  return { requestId: '', ...deed, merchantId: id, subject: id, version, mac }
}

/** Who changes a merchant: `operator`, or `user:<id>` by a request of the dashboard. */
export type MerchantDoer = Pick<AuditNote, 'actor' | 'requestId'>

export const theOperator: MerchantDoer = Object.freeze({ actor: 'operator', requestId: '' })
