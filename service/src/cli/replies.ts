import type { MerchantDeeds } from '../merchants/deeds.ts'

import type { Question, Reply } from './control-wire.ts'

export type Answer = (question: Question) => Promise<Reply>

/** By what is asked. */
export type Answers = Readonly<Record<string, Answer>>

export function yes(answer: unknown): Reply {
  return { ok: true, answer }
}

/** `reason` is for programs, `message` for people. */
export function no(reason: string, message: string): Reply {
  return { ok: false, reason, message }
}

export function badMerchant(): Reply {
  return no('bad_merchant', 'A merchant id is 24 hex digits.')
}

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

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)
}
