import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'

import type { CrashScenario } from './crash.suite.ts'
import { expectBooksAgree, type Shopping } from './endpoint.suite.ts'

/** What was in progress at a merchant with an endpoint when the process crashed, and the merchant's fault at the same time. */
export function endpointCrashScenarios(shopping: Shopping): CrashScenario[] {
  const { faultsOnce } = shopping.merchant
  const agree = (merchant: TestMerchant, id: string) => expectBooksAgree(shopping, merchant, id)
  const pay: CrashScenario = {
    name: 'pay at a merchant with an endpoint',
    hold: false,
    save: false,
    agree,
    run: (merchant, { id, token }) => merchant.callRaw('receipts.pay', { id, token }),
  }
  const striking = (name: string, method: string, fault: 'refuse' | 'lose_answer' | 'lose_request'): CrashScenario => ({
    ...pay,
    name: `${pay.name}, ${name}`,
    strike: () => {
      faultsOnce.set(method, fault)
      return () => faultsOnce.clear()
    },
  })
  return [
    pay,
    striking('CheckPerformTransaction refused', 'CheckPerformTransaction', 'refuse'),
    striking('PerformTransaction refused', 'PerformTransaction', 'refuse'),
    striking('reply to PerformTransaction lost', 'PerformTransaction', 'lose_answer'),
    {
      ...striking('', 'CancelTransaction', 'lose_request'),
      name: 'cancel a payment of a merchant with an endpoint',
      save: true,
      isPaid: true,
      run: (merchant: TestMerchant, { id }: { id: string }) => merchant.callRaw('receipts.cancel', { id }),
    },
  ]
}
