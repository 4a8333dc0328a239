import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Keeps the fiscal data of a paid receipt. */
export function receiptsSetFiscalData(receipts: Receipts): Row<'receipts.set_fiscal_data'>['run'] {
  return async (params, call) => {
    const success = () => ({ success: true })
    await receipts.setFiscal(params.id, params.fiscal_data, askerOf(call, success))
    return success()
  }
}
