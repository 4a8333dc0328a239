import { renderError, RpcError } from '@tessera/contract/errors'
import { dashboardStartGetContract, dashboardStartMakePaymentContract } from '@tessera/contract/operations/dashboard-start'

import { noSettings } from '../domain/merchants/settings.ts'
import type { StartCard } from '../domain/reporting/getting-started.ts'
import type { RequestContext } from '../domain/request-context.ts'

import { operation } from './operation.ts'
import { exampleReceipt } from './sample-account.ts'
import { makeTestPayment, type TestStep } from './test-payment.ts'

/** Returns the data for the page Getting started: addresses, test cards, checklist. */
export const dashboardStartGet = operation(dashboardStartGetContract, {
  async run(_params, ctx, { startPage, merchants }) {
    const { formOrigin, sdk, testing } = startPage.details
    const { merchantId } = ctx
    return {
      merchantId,
      formOrigin,
      sdk,
      demoPassword: testing?.demo.merchantId === merchantId ? testing.demo.password : null,
      testCards: testing === null ? [] : testing.cards.map((card) => toTestCard(card, testing.expire)),
      example: exampleReceipt((await merchants.find(merchantId))?.settings ?? noSettings),
      checklist: await startPage.checklist(ctx),
    }
  },
})

/** Makes a payment with a test card. Test environment only. */
export const dashboardStartMakePayment = operation(dashboardStartMakePaymentContract, {
  async run({ lastFour }, ctx, app) {
    const { details, clock } = app.startPage
    if (details.testing === null) throw new RpcError('testOnly')
    const made = await makeTestPayment(app, { testing: details.testing, clock }, { lastFour, ctx })
    const { cardId, maskedPan, token, receiptId, isPaid, steps } = made
    return { cardId, number: maskedPan, token, receiptId, paid: isPaid, steps: steps.map((step) => toStep(step, ctx)) }
  },
})

function toTestCard({ number, sentBy, scenario }: StartCard, expire: string) {
  return { number, lastFour: number.slice(-4), expire, meaning: scenario?.name ?? 'success', sentBy }
}

function toStep({ method, ms, error }: TestStep, { language, profile }: RequestContext) {
  if (error === null) return { method, ms, refused: null }
  const { code, reason, message } = renderError(error, { profile, language, origin: method })
  return { method, ms, refused: { code, reason, message } }
}
