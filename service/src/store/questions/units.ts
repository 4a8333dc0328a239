import type { Unit } from '../unit.ts'
import { appendAudit } from './audit.ts'
import { changeCard, insertCard } from './cards.ts'
import { keepDisclosure } from './consents.ts'
import { dropDashboardSessions, endDashboardSessions, insertDashboardSession, touchDashboardSession } from './dashboard-sessions.ts'
import { changeDashboardUser, claimSignInTry, clearSignInTries, insertDashboardUser, uncountSignInTry } from './dashboard-users.ts'
import { claimDeliveries, settleDelivery } from './deliveries.ts'
import { dropEvents, replayEvent } from './events.ts'
import { addFindings } from './findings.ts'
import { changeFormSession, dropFormCards, dropFormSessions, insertFormSession, keepFormCard } from './form-sessions.ts'
import { dropIdempotency, keepIdempotency } from './idempotency.ts'
import { appendLedger } from './ledger.ts'
import { claimSend, dropLimits } from './limits.ts'
import { changeMerchant, insertMerchant, noteCredentialUse } from './merchants.ts'
import { judgeScript, keepPageCheck } from './page-checks.ts'
import { changeReceipt, insertReceipt } from './receipts.ts'
import { appendRequests, dropRequests, dropRequestsOf } from './requests.ts'
import { dropRehearsed } from './rehearsed.ts'
import { appendInbox, dropScenarioSteps, setScenarioStep } from './sandbox.ts'
import { addTallies, dropTallies } from './tallies.ts'
import { beginVerification, finishVerification, settleVerification, tryCode } from './verification.ts'
import { changeSecrets, insertEndpoint, removeEndpoint } from './webhooks.ts'

/** Every write question by its name: what a store is posted is a name from here and plain data. */
export const units = Object.freeze({
  insertMerchant,
  changeMerchant,
  noteCredentialUse,
  insertCard,
  changeCard,
  beginVerification,
  settleVerification,
  claimSend,
  tryCode,
  finishVerification,
  dropLimits,
  insertReceipt,
  changeReceipt,
  keepIdempotency,
  dropIdempotency,
  appendLedger,
  insertFormSession,
  changeFormSession,
  dropFormSessions,
  keepFormCard,
  dropFormCards,
  keepDisclosure,
  insertDashboardUser,
  changeDashboardUser,
  claimSignInTry,
  clearSignInTries,
  uncountSignInTry,
  insertDashboardSession,
  touchDashboardSession,
  endDashboardSessions,
  dropDashboardSessions,
  addTallies,
  dropTallies,
  addFindings,
  keepPageCheck,
  judgeScript,
  appendRequests,
  dropRequestsOf,
  dropRequests,
  insertEndpoint,
  changeSecrets,
  removeEndpoint,
  claimDeliveries,
  settleDelivery,
  replayEvent,
  dropEvents,
  setScenarioStep,
  dropScenarioSteps,
  dropRehearsed,
  appendInbox,
  appendAudit,
})

export type UnitName = keyof typeof units
export type Ask<N extends UnitName> = Parameters<(typeof units)[N]>[0]
export type Answer<N extends UnitName> = ReturnType<(typeof units)[N]> extends Unit<infer T> ? T : never

/** One write: a question's name and what is asked. */
export type Write = { readonly [N in UnitName]: { readonly name: N; readonly ask: Ask<N> } }[UnitName]
