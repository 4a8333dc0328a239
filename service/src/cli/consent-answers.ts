import type { Consents } from '../consents/consents.ts'

import type { Question, Reply } from './control-wire.ts'
import { ofKnown, type KnownMerchants } from './known-merchants.ts'
import { isId, no, yes, type Answers } from './replies.ts'

/** Answers about what cardholders agreed to: one card's, or a page of a merchant's. */
export function answerConsents(consents: Consents, merchants: KnownMerchants): Answers {
  return {
    'consents.show': async ({ cardId }) => {
      if (!isId(cardId))
        return no('bad_card', 'A card id is 24 hex digits: the part of the token before the underscore. Never give the rest.')
      const found = await consents.show(cardId)
      if (found === null) return no('unknown_card', `There is no card ${cardId}.`)
      return found === 'none' ? no('no_consent', `Nobody agreed that the card ${cardId} is kept: it was made for one payment.`) : yes(found)
    },
    'consents.page': (question) => ofKnown(merchants, question.merchantId, (merchantId) => tellPage(consents, merchantId, question)),
  }
}

async function tellPage(consents: Consents, merchantId: string, { from, to, after }: Question): Promise<Reply> {
  if (typeof from !== 'number' || typeof to !== 'number' || !(after === '' || isId(after)))
    return no('bad_page', 'A page has a beginning and an end in time, and the card before it.')
  return yes(await consents.page({ merchantId, from, to, after }))
}
