import type { AuditNote, CardRow } from '../store/store.ts'

import type { Asker } from './asker.ts'

/** What was done, at `at` (unix ms), to which card, and how it came out: all words, never a value that somebody sent. */
export interface Deed {
  readonly at: number
  readonly action: string
  readonly outcome: string
}

/** The audit note of a change that a merchant asked for; `left` is the row that the change leaves. */
export function noteChange(asker: Asker, left: CardRow, deed: Deed): AuditNote {
  return { ...noteDeed(asker, left.cardId, deed), version: left.version, mac: left.mac }
}

/** The audit note of a deed that leaves the card's row as it is. */
export function noteDeed(asker: Asker, cardId: string, deed: Deed): AuditNote {
  return {
    ...deed,
    actor: asker.userId === undefined ? `merchant:${asker.merchantId}` : `user:${asker.userId}`,
    merchantId: asker.merchantId,
    subject: cardId,
    version: 0,
    mac: new Uint8Array(0),
    requestId: asker.requestId,
  }
}

/** The audit note of a change that nobody asked for: sweeping and resealing. */
export function noteOwnChange(left: CardRow, deed: Deed): AuditNote {
  const { merchantId, cardId, version, mac } = left
  return { ...deed, actor: 'system', merchantId, subject: cardId, version, mac, requestId: '' }
}
