import { readAmount } from '@tessera/contract/amount'
import { RpcError } from '@tessera/contract/errors'

/** Throws when an amount is none: a positive whole number of tiyin. Where it may be left out, it may. */
export function expectAmount({ amount: sum }: { readonly amount?: number | null }): void {
  if (typeof sum === 'number' && readAmount(sum) === null) throw new RpcError('amountInvalid', { data: 'amount' })
}
