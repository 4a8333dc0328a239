import { receiptsSetFiscalDataContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'

/** Stores the fiscal data of a paid receipt. */
export const receiptsSetFiscalData = operation(receiptsSetFiscalDataContract, {
  async run({ id, fiscal_data: fiscalData }, ctx, { receipts }) {
    await receipts.setFiscal(id, fiscalData, ctx)
    return 'success' as const
  },
  render: () => ({ success: true }),
})
