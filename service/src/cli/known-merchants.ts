import type { MerchantDeeds } from '../merchants/deeds.ts'

import type { Reply } from './control-wire.ts'
import { badMerchant, isId, no } from './replies.ts'

export type KnownMerchants = Pick<MerchantDeeds, 'isKnown'>

/** What is answered of a merchant that there is; of any other, what is wrong with its id. */
export async function ofKnown(
  merchants: KnownMerchants,
  merchantId: unknown,
  then: (merchantId: string) => Promise<Reply>,
): Promise<Reply> {
  if (!isId(merchantId)) return badMerchant()
  if (await merchants.isKnown(merchantId)) return then(merchantId)
  return no('unknown_merchant', `There is no merchant ${merchantId}: see tessera merchants list`)
}
