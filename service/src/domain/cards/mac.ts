import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator, type MacField, type RowAuthenticator } from '@tessera/vault/rowmac'

import type { CardRow } from '../../store/cards.ts'

/** Makes and checks the MAC of card rows, so that changes made without the keys are detected. */
export type CardMac = RowAuthenticator<CardRow>

export function makeCardMac(keyring: Keyring, environment: string): CardMac {
  return makeRowAuthenticator(keyring, { table: 'cards', environment, fieldsOf })
}

/** Every column of a card row, in a fixed order. A new column is appended, and existing rows get a new MAC. */
function fieldsOf(card: CardRow): readonly MacField[] {
  return [
    card.bucket,
    card.merchantId,
    card.cardId,
    card.version,
    card.tokenHash,
    card.maskedPan,
    card.type,
    card.expiry,
    card.recurrent,
    card.verified,
    card.state,
    card.keyId,
    card.blob,
    card.customer,
    card.account,
    card.consent,
    card.createdAt,
    card.verifiedAt,
    card.endsAt,
    card.endedAt,
  ]
}
