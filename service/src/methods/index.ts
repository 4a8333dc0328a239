import type { DashboardMethodName } from '@tessera/contract/methods'

import type { Disclosures } from '../consents/disclosures.ts'
import type { ServedForms } from '../form-sessions/served.ts'
import type { Clock } from '../clock.ts'
import type { FormSessions } from '../form-sessions/form-sessions.ts'
import type { HostedSessions } from '../form-sessions/hosted.ts'
import { noFailureBreaker, type FailureBreaker } from '../limits/failures.ts'
import { noFineLimits, type FineLimits } from '../limits/fine.ts'
import type { Receipts } from '../receipts/receipts.ts'
import { expectPhone } from '../receipts/send.ts'
import type { Verification } from '../verification/verification.ts'

import { makeDashboardGrid, type DashboardGridParts } from './dashboard-grid.ts'
import { expectAmount } from './amount.ts'
import { cardsCheck } from './cards.check.ts'
import { cardsCreate, checkCardsCreate } from './cards.create.ts'
import { cardsGetVerifyCode, settleCardsGetVerifyCode } from './cards.get_verify_code.ts'
import { cardsRemove } from './cards.remove.ts'
import { cardsVerify, settleCardsVerify } from './cards.verify.ts'
import { formSessionsCancel } from './form.sessions.cancel.ts'
import { formSessionsCreate, type PageOf } from './form.sessions.create.ts'
import { formSessionsGet } from './form.sessions.get.ts'
import { formSessionsShow } from './form.sessions.show.ts'
import type { Grid } from './method.ts'
import { receiptsCancel } from './receipts.cancel.ts'
import { receiptsCheck } from './receipts.check.ts'
import { receiptsConfirmHold } from './receipts.confirm_hold.ts'
import { receiptsCreate } from './receipts.create.ts'
import { receiptsGet } from './receipts.get.ts'
import { receiptsGetAll } from './receipts.get_all.ts'
import { receiptsPay, settleReceipt } from './receipts.pay.ts'
import { receiptsSend, settleReceiptsSend } from './receipts.send.ts'
import { receiptsSetFiscalData } from './receipts.set_fiscal_data.ts'
import { rpcDiscover } from './rpc.discover.ts'
import { countingToken } from './token-limit.ts'
import { expectTokenShape } from './token-shape.ts'
import { watching } from './watching.ts'

export interface GridParts extends DashboardGridParts {
  readonly verification: Verification
  readonly receipts: Receipts
  readonly sessions: FormSessions
  readonly hosted: HostedSessions
  readonly pageOf: PageOf
  readonly clock: Pick<Clock, 'now'>
  readonly served: Pick<ServedForms, 'originOf'>
  readonly disclosures: Pick<Disclosures, 'expectIssued'>
  /** Of PANs and tokens; none where they are left out. */
  readonly limits?: FineLimits
  /** Watches cards and codes; none where it is left out. */
  readonly failures?: FailureBreaker
  /** Of the service, for the OpenRPC document. */
  readonly version: string
}

/** Every method with who may call it, whether it changes anything, and what it counts in. */
export function makeGrid(parts: GridParts): Grid {
  const {
    cards,
    verification,
    receipts,
    sessions,
    hosted,
    pageOf,
    clock,
    disclosures,
    served,
    limits = noFineLimits,
    failures = noFailureBreaker,
    version,
  } = parts
  const states = { hosted, cards, clock }
  const api: Omit<Grid, DashboardMethodName> = {
    'cards.create': {
      ...{
        caller: 'browser',
        mutates: true,
        limits: 'create',
        run: watching(failures, cardsCreate(cards, limits, { sessions, hosted, clock, disclosures, served })),
      },
      check: checkCardsCreate(cards),
    },
    'cards.get_verify_code': {
      ...{
        caller: 'browser',
        mutates: true,
        limits: 'verify',
        run: countingToken(limits, watching(failures, cardsGetVerifyCode(verification))),
      },
      check: expectTokenShape,
      settle: settleCardsGetVerifyCode(verification),
    },
    'cards.verify': {
      ...{ caller: 'browser', mutates: true, limits: 'verify', run: countingToken(limits, watching(failures, cardsVerify(verification))) },
      check: expectTokenShape,
      settle: settleCardsVerify(verification),
    },
    'cards.check': { caller: 'serverInSpec', mutates: false, limits: 'read', run: cardsCheck(cards) },
    'cards.remove': { caller: 'serverInSpec', mutates: true, limits: 'write', run: cardsRemove(cards), check: expectTokenShape },
    'receipts.create': { caller: 'server', mutates: true, limits: 'write', run: receiptsCreate(receipts), check: expectAmount },
    'receipts.pay': {
      ...{ caller: 'server', mutates: true, limits: 'write', run: countingToken(limits, receiptsPay(receipts)) },
      check: expectTokenShape,
      settle: settleReceipt(receipts),
    },
    'receipts.send': {
      ...{ caller: 'server', mutates: true, limits: 'write', run: receiptsSend(receipts) },
      check: ({ phone }) => expectPhone(phone),
      settle: settleReceiptsSend,
    },
    'receipts.cancel': { caller: 'server', mutates: true, limits: 'write', run: receiptsCancel(receipts) },
    'receipts.check': { caller: 'server', mutates: false, limits: 'read', run: receiptsCheck(receipts) },
    'receipts.get': { caller: 'server', mutates: false, limits: 'read', run: receiptsGet(receipts) },
    'receipts.get_all': { caller: 'server', mutates: false, limits: 'read', run: receiptsGetAll(receipts) },
    'receipts.confirm_hold': {
      ...{ caller: 'server', mutates: true, limits: 'write', run: receiptsConfirmHold(receipts) },
      check: expectAmount,
      settle: settleReceipt(receipts),
    },
    'receipts.set_fiscal_data': { caller: 'server', mutates: true, limits: 'write', run: receiptsSetFiscalData(receipts) },
    'form.sessions.create': { caller: 'server', mutates: true, limits: 'write', run: formSessionsCreate(sessions, pageOf) },
    'form.sessions.get': { caller: 'server', mutates: false, limits: 'read', run: formSessionsGet(states) },
    'form.sessions.show': { caller: 'browser', mutates: false, limits: 'read', run: formSessionsShow(states) },
    'form.sessions.cancel': { caller: 'browser', mutates: true, limits: 'write', run: formSessionsCancel(states) },
    'rpc.discover': { caller: 'nobody', mutates: false, limits: 'none', run: rpcDiscover(version) },
  }
  return Object.freeze({ ...api, ...makeDashboardGrid(parts, api) })
}
