import { RpcError } from '@tessera/contract/errors'
import { receiptsGetAllContract } from '@tessera/contract/operations/receipts'

import { renderReceipt } from '../domain/payments/render.ts'

import { operation } from './operation.ts'

/** Lists the receipts of a range of days, newest first: a bare array. */
export const receiptsGetAll = operation(receiptsGetAllContract, {
  async run(params, ctx, { receipts }) {
    const query = {
      count: readInteger(params.count, 'count', { min: 1, max: 50 }),
      from: readInteger(params.from, 'from', { min: 0, max: maxTimestampMs }),
      to: readInteger(params.to, 'to', { min: 0, max: maxTimestampMs }),
      offset: readInteger(params.offset ?? 0, 'offset', { min: 0, max: 1000 }),
    }
    return (await receipts.list(query, ctx)).map((receipt) => renderReceipt(receipt, ctx.profile))
  },
})

/** An integer, or its digits as a string. Throws `memberInvalid` outside its range; the schema has validated integers already. */
function readInteger(value: number | string, member: string, { min, max }: { min: number; max: number }): number {
  const read = Number(value)
  if (!Number.isSafeInteger(read) || read < min || read > max) throw new RpcError('memberInvalid', { data: member })
  return read
}

/** The last timestamp of a JavaScript date. */
const maxTimestampMs = 8_640_000_000_000_000
