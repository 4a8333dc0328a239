import { renderError, RpcError } from '@tessera/contract/errors'
import { dashboardStartGetContract, dashboardStartMakeTokenContract } from '@tessera/contract/operations/dashboard-start'

import type { StartCard } from '../domain/reporting/getting-started.ts'
import type { RequestContext } from '../domain/request-context.ts'

import { operation } from './operation.ts'
import { makeTestToken, type TestStep } from './test-token.ts'

/** Returns the data for the page Getting started: addresses, test cards, checklist. */
export const dashboardStartGet = operation(dashboardStartGetContract, {
  async run(_params, ctx, { startPage }) {
    const { formOrigin, sdk, testing } = startPage.details
    const { merchantId } = ctx
    return {
      merchantId,
      formOrigin,
      sdk,
      demoPassword: testing?.demo.merchantId === merchantId ? testing.demo.password : null,
      testCards: testing === null ? [] : testing.cards.map((card) => toTestCard(card, testing.expire)),
      checklist: await startPage.checklist(ctx),
    }
  },
})

/** Creates a token of a test card. Test environment only. */
export const dashboardStartMakeToken = operation(dashboardStartMakeTokenContract, {
  async run({ lastFour }, ctx, { cards, verification, startPage }) {
    const { details, clock } = startPage
    if (details.testing === null) throw new RpcError('testOnly')
    const made = await makeTestToken({ cards, verification }, { testing: details.testing, clock }, { lastFour, ctx })
    const { cardId, maskedPan, verified, steps } = made
    return { cardId, number: maskedPan, verified, steps: steps.map((step) => toStep(step, ctx)) }
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
