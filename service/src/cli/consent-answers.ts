import type { Consents } from '../consents/consents.ts'

import type { Question, Reply } from './control-wire.ts'
import type { MerchantDeeds } from '../merchants/deeds.ts'
import { badMerchant, isId, no, unknownMerchant, yes } from './replies.ts'

/** Answers about what cardholders agreed to: one card's, or a page of a merchant's. */
export function answerConsents(
  consents: Consents,
  merchants: Pick<MerchantDeeds, 'isKnown'>,
): Readonly<Record<string, (question: Question) => Promise<Reply>>> {
  return {
    'consents.show': async ({ cardId }) => {
      if (!isId(cardId))
        return no('bad_card', 'A card id is 24 hex digits: the part of the token before the underscore. Never give the rest.')
      const found = await consents.show(cardId)
      if (found === null) return no('unknown_card', `There is no card ${cardId}.`)
      return found === 'none' ? no('no_consent', `Nobody agreed that the card ${cardId} is kept: it was made for one payment.`) : yes(found)
    },
    'consents.page': async ({ merchantId, from, to, after }) => {
      if (!isId(merchantId)) return badMerchant()
      if (!(await merchants.isKnown(merchantId))) return unknownMerchant(merchantId)
      if (typeof from !== 'number' || typeof to !== 'number' || !(after === '' || isId(after)))
        return no('bad_page', 'A page has a beginning and an end in time, and the card before it.')
      return yes(await consents.page({ merchantId, from, to, after }))
    },
  }
}
