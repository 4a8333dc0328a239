import { renderReceipt, type ToldReceipt } from '../receipts/render.ts'

import type { Call } from './method.ts'

/** Renders a result that is a receipt, as the call's profile spells it. */
export function receiptIn({ profile }: Call) {
  return (told: ToldReceipt) => ({ receipt: renderReceipt(told, profile) })
}
