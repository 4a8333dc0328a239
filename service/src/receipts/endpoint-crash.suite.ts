import type { Caller } from '../methods/caller.fixture.ts'

import type { Deed } from './crash.suite.ts'
import { expectBooksAgree, type Shopping } from './endpoint.suite.ts'

/** What somebody was doing at a merchant with an endpoint when the program fell, and what the merchant did wrong at the same time. */
export function endpointDeeds(shopping: Shopping): Deed[] {
  const { faultsOnce } = shopping.merchant
  const agree = (merchant: Caller, id: string) => expectBooksAgree(shopping, merchant, id)
  const pay: Deed = {
    ...{ name: 'pay where the merchant is asked', hold: false, save: false, agree },
    run: (merchant, { id, token }) => merchant.call('receipts.pay', { id, token }),
  }
  const striking = (name: string, method: string, fault: 'refuse' | 'lose_answer' | 'lose_request'): Deed => ({
    ...pay,
    name: `${pay.name}, ${name}`,
    strike: () => {
      faultsOnce.set(method, fault)
      return () => faultsOnce.clear()
    },
  })
  return [
    pay,
    striking('and refuses the check', 'CheckPerformTransaction', 'refuse'),
    striking('and refuses the money', 'PerformTransaction', 'refuse'),
    striking('and its performing is not heard', 'PerformTransaction', 'lose_answer'),
    {
      ...striking('', 'CancelTransaction', 'lose_request'),
      name: 'cancel what a merchant that is asked was paid',
      ...{ save: true, isPaid: true, run: (merchant: Caller, { id }: { id: string }) => merchant.call('receipts.cancel', { id }) },
    },
  ]
}
