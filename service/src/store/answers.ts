import { findAuditHeads, newestAuditOf, readAudit } from './questions/audit.ts'
import { countCardsByKey, findCard, listCardsUnderKey, listEndedCards } from './questions/cards.ts'
import { findMerchant } from './questions/merchants.ts'
import { findScenarioStep, listInbox, listScenarioSteps } from './questions/sandbox.ts'
import type { Answer, Ask, UnitName } from './questions/units.ts'
import { findVerification } from './questions/verification.ts'
import type { Store } from './store.ts'
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

    insertCard: (card, audit) => driver.write('insertCard', { card, audit }),
    findCard: (key) => driver.read(findCard(key)),
    changeCard: (next, audit) => driver.write('changeCard', { next, audit }),
    listEndedCards: (now, count) => driver.read(listEndedCards(now, count)),
    listCardsUnderKey: (keyId, after, count) => driver.read(listCardsUnderKey(keyId, after, count)),
    countCardsByKey: () => driver.read(countCardsByKey()),

    beginVerification: (attempt, limits, audit) => driver.write('beginVerification', { attempt, limits, audit }),
    settleVerification: (settled, audit) => driver.write('settleVerification', { settled, audit }),
    claimPhoneSend: (claim) => driver.write('claimSend', claim),
    findVerification: (key) => driver.read(findVerification(key)),
    tryCode: (attempt) => driver.write('tryCode', attempt),
    finishVerification: (finish) => driver.write('finishVerification', finish),
    dropLimits: (before) => dropAllLimits(driver, before),

    appendAudit: (audit) => driver.write('appendAudit', { audit }),
    listAuditChains: () => driver.read(findAuditHeads()),
    readAudit: (chain, afterSeq, count) => driver.read(readAudit(chain, afterSeq, count)),
    newestAuditOf: (cardId) => driver.read(newestAuditOf(cardId)),

    findScenarioStep: (merchantId, scenario) => driver.read(findScenarioStep(merchantId, scenario)),
    listScenarioSteps: (merchantId) => driver.read(listScenarioSteps(merchantId)),
    setScenarioStep: (merchantId, scenario, step) => driver.write('setScenarioStep', { merchantId, scenario, step }),
    appendInbox: (sms) => driver.write('appendInbox', sms),
    listInbox: (count) => driver.read(listInbox(count)),
  })
}

/** A page a unit, so that a long sweep never holds the writers up. */
async function dropAllLimits(driver: Driver, before: number): Promise<number> {
  let dropped = 0
  for (let page = 0; page < DROP_PAGES_MAX; page++) {
    const rows = await driver.write('dropLimits', { before })
    dropped += rows
    if (rows === 0) return dropped
  }
  return dropped
}

const DROP_PAGES_MAX = 10_000
