import { cardsGetVerifyCodeContract, type CodeOnWire } from '@tessera/contract/operations/cards'

import type { CodeRequestResult } from '../domain/verification/dispatch.ts'

import { expectTokenShape, operation } from './operation.ts'

/** Sends an SMS code to the phone that the issuer knows, in the caller's language. */
export const cardsGetVerifyCode = operation(cardsGetVerifyCodeContract, {
  check: expectTokenShape,
  async run({ token, form = null }, ctx, { verification, formDocuments, isFormOrigin }) {
    const isFromForm = form !== null && ctx.origin !== null && isFormOrigin(ctx.origin)
    const shopOrigin = isFromForm ? await formDocuments.originOf(ctx.merchantId, form) : null
    return verification.requestCode(token, ctx, { language: ctx.language, shopOrigin })
  },
  reconcile: ({ subject, isExpired }, { token }, ctx, { verification }) =>
    verification.reconcileRequest(token, { attemptId: subject, isExpired }, ctx),
  render: ({ phoneMask, waitMs, code }: CodeRequestResult, _params, { origin }, { isFormOrigin }) => ({
    sent: true,
    phone: phoneMask,
    wait: waitMs,
    ...(origin !== null && isFormOrigin(origin) ? { code: renderFormat(code) } : {}),
  }),
})

/** For the form, which sets its code field up accordingly. */
function renderFormat({ lifetimeMs, ...format }: CodeRequestResult['code']): CodeOnWire {
  return { ...format, lifetime: lifetimeMs }
}
