import { KeyDestroyed, KeyUnknown, type Dek, type Keyring } from '@tessera/vault/keyring'
import { isRowMacOf, macKeyIdOf, makeRowMac, type MacField } from '@tessera/vault/rowmac'

import type { CardRow } from '../store/store.ts'

/** Makes and checks the MAC of card rows: whoever writes the database without the keys is found out. */
export interface CardMac {
  /** The same row with its MAC. */
  seal(card: CardRow): Promise<CardRow>
  isTrue(card: CardRow): Promise<boolean> | boolean
}

export function makeCardMac(keyring: Keyring, environment: string): CardMac {
  const isMadeBy = (dek: Dek, card: CardRow): boolean =>
    dek.purpose === 'row_mac' && isRowMacOf(dek, card.mac, table, environment, cardFields(card))
  return Object.freeze({
    async seal(card: CardRow) {
      return { ...card, mac: makeRowMac(await keyring.active('row_mac'), table, environment, cardFields(card)) }
    },
    isTrue(card: CardRow) {
      const dek = keyring.byId(macKeyIdOf(card.mac))
      return dek instanceof Promise ? dek.then((key) => isMadeBy(key, card), isNoKey) : isMadeBy(dek, card)
    },
  })
}

/** A MAC under a key that is not there is no MAC. */
function isNoKey(err: unknown): false {
  if (err instanceof KeyUnknown || err instanceof KeyDestroyed) return false
  throw err
}

/** Everything that a card row says, in a fixed order. A new column goes to the end, and old rows get their MAC anew. */
function cardFields(card: CardRow): readonly MacField[] {
  return [
    ...[card.bucket, card.merchantId, card.cardId, card.version],
    ...[card.tokenHash, card.maskedPan, card.type, card.expiry],
    ...[card.recurrent, card.verified, card.state],
    ...[card.keyId, card.blob],
    ...[card.customer, card.account, card.consent],
    ...[card.createdAt, card.verifiedAt, card.endsAt, card.endedAt],
  ]
}

const table = 'cards'
