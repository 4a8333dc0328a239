import { findAuditHeads, newestAuditOf, readAudit } from './questions/audit.ts'
import { countCardsByKey, findCard, listCardsUnderKey, listEndedCards, listKeptCards, lookAtCard } from './questions/cards.ts'
import { findCardOfAny, findDisclosure, listConsents } from './questions/consents.ts'
import { listDeeds } from './questions/dashboard-audit.ts'
import { listAuditOf, listCards, listReceiptsOfCard } from './questions/dashboard-cards.ts'
import { findFunnel, listCodeEvents, listInboxOf } from './questions/dashboard-codes.ts'
import { findDashboardSession, listDashboardSessions } from './questions/dashboard-sessions.ts'
import { findDashboardUser, findDashboardUserByPhone, listDashboardUsers } from './questions/dashboard-users.ts'
import { listAttempts, listDeadDeliveries, listDeliveries } from './questions/deliveries.ts'
import { listDeliveryPage } from './questions/delivery-pages.ts'
import { findDelivery, listEvents } from './questions/events.ts'
import { listFindings } from './questions/findings.ts'
import { findFormSession, listFormCards } from './questions/form-sessions.ts'
import { findIdempotency } from './questions/idempotency.ts'
import { findLedger, listLedger } from './questions/ledger.ts'
import { findMerchant, listCredentialUses, listMerchants } from './questions/merchants.ts'
import { findOperation, listOperations, listRefusedOfCard } from './questions/operations.ts'
import { listPageChecks, listPageScripts } from './questions/page-checks.ts'
import { findReceipt, listAllReceipts, listDueReceipts, listReceiptPage, listReceipts, lookAtReceipt } from './questions/receipts.ts'
import { findRequest, findRequestBehind, listRequests } from './questions/requests.ts'
import { findScenarioStep, listInbox, listScenarioSteps, listStepsOf } from './questions/sandbox.ts'
import { findTallies, listTallies, listTallyPlaces } from './questions/tallies.ts'
import type { Answer, Ask, UnitName } from './questions/units.ts'
import { findVerification } from './questions/verification.ts'
import { listEndpoints } from './questions/webhooks.ts'
import type { CardRiders, Store, Twin } from './store.ts'
import type { Read } from './unit.ts'

/** What a store has to be able to do; the questions are the same for both. */
export interface Driver extends Pick<Store, 'durability' | 'ping' | 'close'> {
  write<N extends UnitName>(name: N, ask: Ask<N>): Promise<Answer<N>>
  read<T>(read: Read<T>): Promise<T>
}

/** Answers the port's questions with a driver. */
export function makeStore(driver: Driver): Store {
  return Object.freeze<Store>({
    get durability() {
      return driver.durability
    },
    ping: () => driver.ping(),
    close: (deadlineMs) => driver.close(deadlineMs),

    findMerchant: (merchantId) => driver.read(findMerchant(merchantId)),
    insertMerchant: (merchant, audit) => driver.write('insertMerchant', { merchant, audit }),
    changeMerchant: (next, audit) => driver.write('changeMerchant', { next, audit }),
    listMerchants: (after, count) => driver.read(listMerchants(after, count)),
    noteCredentialUse: (use) => driver.write('noteCredentialUse', use),
    listCredentialUses: (merchantId) => driver.read(listCredentialUses(merchantId)),

    insertCard: (card, audit, riders) => ridden(riders, driver.write('insertCard', { card, audit, riders: riders ?? null })),
    findCard: (key) => driver.read(findCard(key)),
    changeCard: (next, audit, riders) => ridden(riders, driver.write('changeCard', { next, audit, riders: riders ?? null })),
    listKeptCards: (before, count, after) => driver.read(listKeptCards(before, count, after)),
    listEndedCards: (now, count, after) => driver.read(listEndedCards(now, count, after)),
    listCardsUnderKey: (keyId, after, count) => driver.read(listCardsUnderKey(keyId, after, count)),
    countCardsByKey: () => driver.read(countCardsByKey()),

    beginVerification: (attempt, limits, audit, riders) =>
      ridden(riders, driver.write('beginVerification', { attempt, limits, audit, riders: riders ?? null })),
    settleVerification: (settled, audit, riders) =>
      ridden(riders, driver.write('settleVerification', { settled, audit, riders: riders ?? null })),
    claimPhoneSend: (claim) => driver.write('claimSend', claim),
    findVerification: (key) => driver.read(findVerification(key)),
    tryCode: (attempt, riders) => ridden(riders, driver.write('tryCode', { attempt, riders: riders ?? null })),
    finishVerification: (finish, riders) => ridden(riders, driver.write('finishVerification', { finish, riders: riders ?? null })),
    dropLimits: (before, stopping) => dropAll(driver, 'dropLimits', before, stopping),

    insertReceipt: (receipt, riders) => driver.write('insertReceipt', { receipt, riders }),
    findReceipt: (key) => driver.read(findReceipt(key)),
    changeReceipt: (change, riders) => driver.write('changeReceipt', { change, riders }),
    findOperation: (key) => driver.read(findOperation(key)),
    listOperations: (key) => driver.read(listOperations(key)),
    listReceipts: (ask) => driver.read(listReceipts(ask)),
    listReceiptPage: (ask) => driver.read(listReceiptPage(ask)),
    listAllReceipts: (count, after) => driver.read(listAllReceipts(count, after)),
    listDueReceipts: (now, count, after) => driver.read(listDueReceipts(now, count, after)),
    findIdempotency: (key) => driver.read(findIdempotency(key)),
    keepIdempotency: (claim, answer) => driver.write('keepIdempotency', { claim, answer }),
    dropIdempotency: (before, stopping) => dropAll(driver, 'dropIdempotency', before, stopping),
    findLedger: (requestId) => driver.read(findLedger(requestId)),
    appendLedger: (row) => driver.write('appendLedger', row),
    listLedger: (networkRef) => driver.read(listLedger(networkRef)),

    insertEndpoint: (endpoint, endpointsMax, audit) => driver.write('insertEndpoint', { endpoint, endpointsMax, audit }),
    listEndpoints: (of) => driver.read(listEndpoints(of)),
    changeSecrets: (next, before, audit) => driver.write('changeSecrets', { next, before, audit }),
    removeEndpoint: (key, audit) => driver.write('removeEndpoint', { key, audit }),
    claimDeliveries: (claim) => driver.write('claimDeliveries', claim),
    findDelivery: (key) => driver.read(findDelivery(key)),
    settleDelivery: (settled) => driver.write('settleDelivery', settled),
    listEvents: (ask) => driver.read(listEvents(ask)),
    listDeliveries: (of) => driver.read(listDeliveries(of)),
    listAttempts: (of) => driver.read(listAttempts(of)),
    listDeliveryPage: (ask) => driver.read(listDeliveryPage(ask)),
    listDeadDeliveries: (of) => driver.read(listDeadDeliveries(of)),
    replayEvent: (replay, audit) => driver.write('replayEvent', { replay, audit }),
    dropEvents: (before, stopping) => dropAll(driver, 'dropEvents', before, stopping),

    insertFormSession: (session, audit, riders) =>
      ridden(riders, driver.write('insertFormSession', { session, audit, riders: riders ?? null })),
    findFormSession: (key) => driver.read(findFormSession(key)),
    changeFormSession: (session, before, audit) => driver.write('changeFormSession', { session, before, audit }),
    keepFormCard: (card) => driver.write('keepFormCard', card),
    listFormCards: (of) => driver.read(listFormCards(of)),
    dropFormCards: (before, stopping) => dropAll(driver, 'dropFormCards', before, stopping),
    dropFormSessions: (before, stopping) => dropAll(driver, 'dropFormSessions', before, stopping),

    keepDisclosure: (used) => driver.write('keepDisclosure', used),
    findDisclosure: (key) => driver.read(findDisclosure(key)),
    findCardOfAny: (bucket, cardId) => driver.read(findCardOfAny(bucket, cardId)),
    listConsents: (ask) => driver.read(listConsents(ask)),

    insertDashboardUser: (user, audit) => driver.write('insertDashboardUser', { user, audit }),
    findDashboardUser: (userId) => driver.read(findDashboardUser(userId)),
    findDashboardUserByPhone: (phone) => driver.read(findDashboardUserByPhone(phone)),
    listDashboardUsers: (merchantId, after, count) => driver.read(listDashboardUsers(merchantId, after, count)),
    changeDashboardUser: (next, ends, audit) => driver.write('changeDashboardUser', { next, ends, audit }),
    claimSignInTry: (claim) => driver.write('claimSignInTry', claim),
    clearSignInTries: (userId, totpStep) => driver.write('clearSignInTries', { userId, totpStep }),
    uncountSignInTry: (userId) => driver.write('uncountSignInTry', { userId }),
    insertDashboardSession: (session, audit) => driver.write('insertDashboardSession', { session, audit }),
    findDashboardSession: (sessionId) => driver.read(findDashboardSession(sessionId)),
    touchDashboardSession: (sessionId, now) => driver.write('touchDashboardSession', { sessionId, now }),
    listDashboardSessions: (userId, count) => driver.read(listDashboardSessions(userId, count)),
    endDashboardSessions: (of, audit) => driver.write('endDashboardSessions', { of, audit }),
    dropDashboardSessions: (before, stopping) => dropAll(driver, 'dropDashboardSessions', before, stopping),
    listCards: (ask) => driver.read(listCards(ask)),
    listDeeds: (ask) => driver.read(listDeeds(ask)),
    listAuditOf: (merchantId, subject, count) => driver.read(listAuditOf(merchantId, subject, count)),
    lookAtCard: (key) => driver.read(lookAtCard(key)),
    listReceiptsOfCard: (card, count) => driver.read(listReceiptsOfCard(card, count)),
    listRefusedOfCard: (card, count) => driver.read(listRefusedOfCard(card, count)),
    lookAtReceipt: (key) => driver.read(lookAtReceipt(key)),
    addTallies: (tallies, move) => driver.write('addTallies', { tallies, move }),
    listTallyPlaces: () => driver.read(listTallyPlaces()),
    listTallies: (span) => driver.read(listTallies(span)),
    findTallies: (of) => driver.read(findTallies(of)),
    dropTallies: (before, stopping) => dropAll(driver, 'dropTallies', before, stopping),
    findFunnel: (ask) => driver.read(findFunnel(ask)),
    listCodeEvents: (ask) => driver.read(listCodeEvents(ask)),
    listInboxOf: (ask) => driver.read(listInboxOf(ask)),

    appendRequests: (requests) => driver.write('appendRequests', { requests }),
    listRequests: (ask) => driver.read(listRequests(ask)),
    findRequest: (of) => driver.read(findRequest(of)),
    findRequestBehind: (of) => driver.read(findRequestBehind(of)),
    dropRequestsOf: (of) => driver.write('dropRequestsOf', of),
    dropRequests: (before, stopping) => dropAll(driver, 'dropRequests', before, stopping),

    addFindings: (findings) => driver.write('addFindings', { findings }),
    listFindings: (of) => driver.read(listFindings(of)),
    keepPageCheck: (keep, audit) => driver.write('keepPageCheck', { ...keep, audit }),
    listPageChecks: (of) => driver.read(listPageChecks(of)),
    listPageScripts: (of) => driver.read(listPageScripts(of)),
    judgeScript: (judged, audit) => driver.write('judgeScript', { ...judged, audit }),

    appendAudit: (audit) => driver.write('appendAudit', { audit }),
    listAuditChains: () => driver.read(findAuditHeads()),
    readAudit: (chain, afterSeq, count) => driver.read(readAudit(chain, afterSeq, count)),
    newestAuditOf: (cardId) => driver.read(newestAuditOf(cardId)),

    findScenarioStep: (merchantId, scenario) => driver.read(findScenarioStep(merchantId, scenario)),
    listScenarioSteps: (merchantId) => driver.read(listScenarioSteps(merchantId)),
    setScenarioStep: (merchantId, scenario, step, audit) =>
      driver.write('setScenarioStep', { merchantId, scenario, step, audit: audit ?? null }),
    dropScenarioSteps: (merchantId, audit) => driver.write('dropScenarioSteps', { merchantId, audit }),
    listStepsOf: (scenario, count) => driver.read(listStepsOf(scenario, count)),
    dropRehearsed: (of) => driver.write('dropRehearsed', of),
    appendInbox: (sms) => driver.write('appendInbox', sms),
    listInbox: (count) => driver.read(listInbox(count)),
  })
}

/** Only who gave riders hears `twin`: that much is sure of a unit, and here it is said to the compiler. */
function ridden<T, R extends CardRiders | null = null>(_riders: R | undefined, answer: Promise<T | 'twin'>): Promise<T | Twin<R>> {
  return answer as Promise<T | Twin<R>>
}

/** A page a unit, so that a long sweep never holds the writers up, and ends with the page that a stop finds it at. */
async function dropAll(
  driver: Driver,
  name:
    | 'dropLimits'
    | 'dropIdempotency'
    | 'dropEvents'
    | 'dropFormSessions'
    | 'dropFormCards'
    | 'dropDashboardSessions'
    | 'dropTallies'
    | 'dropRequests',
  before: number,
  stopping?: AbortSignal,
): Promise<number> {
  let dropped = 0
  for (let page = 0; page < DROP_PAGES_MAX && stopping?.aborted !== true; page++) {
    const rows = await driver.write(name, { before })
    dropped += rows
    if (rows === 0) return dropped
  }
  return dropped
}

const DROP_PAGES_MAX = 10_000
