import type { Receipts } from '../receipts/receipts.ts'
import { renderReceipt } from '../receipts/render.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Creates a receipt: a request to pay. */
export function receiptsCreate(receipts: Receipts): Row<'receipts.create'>['run'] {
  return async (params, call) => {
    const asked = {
      sum: params.amount,
      account: params.account ?? {},
      description: params.description ?? '',
      detail: params.detail ?? null,
      hold: params.hold ?? false,
    }
    return { receipt: renderReceipt(await receipts.create(asked, askerOf(call)), call.profile) }
  }
}
