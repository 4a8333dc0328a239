import { listAuditOfSubject, listCodeEvents, listUserActions } from '../audit.ts'
import { findFunnel, listCards, listConsents } from '../cards.ts'
import { listCounters } from '../counters.ts'
import { listDeliveryPage } from '../deliveries.ts'
import { listDeclinedOperations } from '../operations.ts'
import { listReceiptPage, listReceiptsOfCard } from '../receipts.ts'
import { findRequest, listRequests } from '../request-log.ts'
import { listMerchantInbox } from '../sandbox.ts'
import type { Store } from '../store.ts'
import type { Read } from '../transaction.ts'
import { busyUser, idOfRow, tallyHours, timeOfRow } from './many-rows.fixture.ts'
import { bucket, merchantId, T0 } from './samples.fixture.ts'

/** A question of one of the dashboard's lists, for the tests of its plan and for the clock. A new list adds its rows below. */
export interface ListQuestion {
  /** `cards, first page`. */
  readonly name: string
  readonly read: Read<unknown>
  readonly ask: (store: Store) => Promise<unknown>
  /** The most rows of a table, or entries of an index, that one page may touch. */
  readonly rowsMax: number
}

/** All of them, over `rows` rows that `fillRows` made, `behind` of them before the page that lies deep. */
export function listQuestions(rows: number, behind: number): readonly ListQuestion[] {
  const of = { bucket, merchantId }
  const page = { ...of, count: 26 }
  const deep = { at: timeOfRow(rows - behind), id: idOfRow(rows - behind) }
  const deepHash = { at: deep.at, id: Buffer.from(String(rows - behind).padStart(32, '0')).toString('hex') }
  const deepCode = { at: deep.at, requestId: (rows - behind).toString(16).padStart(24, '0'), seq: rows - behind }
  const deepDelivery = { createdAt: deep.at, eventId: deep.id, endpointId: idOfRow(1) }
  const someCard = { ...of, cardId: idOfRow(rows - 1) }

  const cards = (name: string, ask: Parameters<typeof listCards>[0]): ListQuestion =>
    row(`cards, ${name}`, ask.count * 2, listCards(ask), (store) => store.read(listCards(ask)))
  const receipts = (name: string, ask: Parameters<typeof listReceiptPage>[0]): ListQuestion =>
    row(`receipts, ${name}`, ask.count * 2, listReceiptPage(ask), (store) => store.read(listReceiptPage(ask)))
  const deliveries = (name: string, ask: Parameters<typeof listDeliveryPage>[0]): ListQuestion =>
    row(`deliveries, ${name}`, ask.count * 3, listDeliveryPage(ask), (store) => store.read(listDeliveryPage(ask)))
  const codes = (name: string, ask: Parameters<typeof listCodeEvents>[0]): ListQuestion =>
    row(`codes, ${name}`, ask.count * 3, listCodeEvents(ask), (store) => store.read(listCodeEvents(ask)))
  const deeds = (name: string, ask: Parameters<typeof listUserActions>[0]): ListQuestion =>
    row(`audit, ${name}`, ask.count * 2, listUserActions(ask), (store) => store.read(listUserActions(ask)))
  const consents = (name: string, ask: Parameters<typeof listConsents>[0]): ListQuestion =>
    row(`consents, ${name}`, ask.count * 4, listConsents(ask), (store) => store.read(listConsents(ask)))
  const anyTime = { from: 0, to: Number.MAX_SAFE_INTEGER }
  const lastHour = { from: timeOfRow(rows - 3600), to: timeOfRow(rows) }
  const funnel = { ...of, from: T0, cardsMax: 2000 }
  const span = { ...of, fromHour: tallyHours.from, toHour: tallyHours.to, stepHours: 24 } as const

  const requests = (name: string, ask: Parameters<typeof listRequests>[0]): ListQuestion =>
    row(`requests, ${name}`, ask.count * 2, listRequests(ask), (store) => store.read(listRequests(ask)))
  const someRequest = { ...of, requestId: idOfRow(rows - 1) }

  return [
    cards('first page', { ...page, after: null, by: null }),
    cards('deep page', { ...page, after: deep, by: null }),
    cards('what one look for consents reads', { ...page, count: 200, after: null, by: null }),
    cards('by the last four', { ...page, after: null, by: { lastFour: '0111' } }),
    cards('by the last four, deep', { ...page, after: deep, by: { lastFour: '0111' } }),
    cards('by the payer', { ...page, after: null, by: { customer: 'payer 7' } }),
    cards('by a payer that is none', { ...page, after: null, by: { customer: 'nobody' } }),
    row('card, its receipts', 26, listReceiptsOfCard(someCard, 26), (store) => store.read(listReceiptsOfCard(someCard, 26))),
    row('card, what was refused to it', 26, listDeclinedOperations(someCard, 26), (store) =>
      store.read(listDeclinedOperations(someCard, 26)),
    ),
    row('card, its audit', 200, listAuditOfSubject(merchantId, someCard.cardId, 100), (store) =>
      store.read(listAuditOfSubject(merchantId, someCard.cardId, 100)),
    ),
    receipts('first page', { ...page, ...anyTime, state: null, after: null }),
    receipts('deep page', { ...page, ...anyTime, state: null, after: deep }),
    receipts('of an hour', { ...page, ...lastHour, state: null, after: null }),
    receipts('in one state', { ...page, ...anyTime, state: 5, after: null }),
    receipts('in one state, deep', { ...page, ...anyTime, state: 5, after: deep }),
    deliveries('first page', { ...page, state: null, after: null }),
    deliveries('deep page', { ...page, state: null, after: deepDelivery }),
    deliveries('given up, deep', { ...page, state: 'dead', after: deepDelivery }),
    deliveries('what a page of one type looks at', { ...page, count: 501, state: null, after: null }),
    codes('first page', { ...page, after: null }),
    codes('deep page', { ...page, after: deepCode }),
    codes('what a page of failures looks at', { ...page, count: 501, after: null }),
    row('codes, funnel', 20_000, findFunnel(funnel), (store) => store.read(findFunnel(funnel))),
    deeds('first page', { ...page, after: null }),
    deeds('deep page', { ...page, after: deepHash }),
    row('audit, of one who did much', 200, listAuditOfSubject(merchantId, busyUser, 100), (store) =>
      store.read(listAuditOfSubject(merchantId, busyUser, 100)),
    ),
    consents('first page', { ...page, ...anyTime, after: '' }),
    consents('deep page', { ...page, ...anyTime, after: deep.id }),
    consents('of an hour', { ...page, ...lastHour, after: '' }),
    row('SMS inbox, first page', 52, listMerchantInbox({ ...page, after: null }), (store) =>
      store.read(listMerchantInbox({ ...page, after: null })),
    ),
    row('SMS inbox, deep page', 52, listMerchantInbox({ ...page, after: deep }), (store) =>
      store.read(listMerchantInbox({ ...page, after: deep })),
    ),
    requests('first page', { ...page, from: 0, after: null, cardId: null }),
    requests('deep page', { ...page, from: 0, after: deep, cardId: null }),
    requests('of an hour', { ...page, from: lastHour.from, after: { at: lastHour.to, id: '' }, cardId: null }),
    requests('what one look of a filter reads', { ...page, count: 501, from: 0, after: null, cardId: null }),
    requests('of a card', { ...page, from: 0, after: null, cardId: '7'.padStart(24, '0') }),
    row('requests, one', 2, findRequest(someRequest), (store) => store.read(findRequest(someRequest))),
    row('charts, a week', 24 * 168, listCounters(span), (store) => store.read(listCounters(span))),
  ]
}

function row(name: string, rowsMax: number, read: Read<unknown>, ask: ListQuestion['ask']): ListQuestion {
  return { name, rowsMax, read, ask }
}
