import type { Keyring } from '@tessera/vault/keyring'
import { makeRowMacs, type MacField, type RowMacs } from '@tessera/vault/rowmac'

import type { CardRow } from '../store/store.ts'

/** Makes and checks the MAC of card rows: whoever writes the database without the keys is found out. */
export type CardMac = RowMacs<CardRow>

export function makeCardMac(keyring: Keyring, environment: string): CardMac {
  return makeRowMacs(keyring, { table: 'cards', environment, fieldsOf })
}

/** Everything that a card row says, in a fixed order. A new column goes to the end, and old rows get their MAC anew. */
function fieldsOf(card: CardRow): readonly MacField[] {
  return [
    ...[card.bucket, card.merchantId, card.cardId, card.version],
    ...[card.tokenHash, card.maskedPan, card.type, card.expiry],
    ...[card.recurrent, card.verified, card.state],
    ...[card.keyId, card.blob],
    ...[card.customer, card.account, card.consent],
    ...[card.createdAt, card.verifiedAt, card.endsAt, card.endedAt],
  ]
}
