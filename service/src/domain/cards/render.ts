import { shortMask, type Expiry } from '@tessera/contract/card'
import type { Profile } from '@tessera/contract/envelope'
import type { CardOnWire } from '@tessera/contract/operations'

import type { CardRow } from '../../store/cards.ts'

/** A card as the API returns it. The order of the members is fixed. */
export function renderCard(card: CardRow, token: string, profile: Profile): CardOnWire {
  return {
    number: profile === 'spec' ? shortMask(card.maskedPan) : card.maskedPan,
    expire: profile === 'spec' ? card.expiry : withSlash(card.expiry),
    token,
    recurrent: card.recurrent,
    verify: card.verified,
    type: card.type,
  }
}

/** `0399` → `03/99`, as the subscribe profile and webhooks write an expiry. */
export function withSlash(expiry: Expiry): string {
  return `${expiry.slice(0, 2)}/${expiry.slice(2)}`
}
