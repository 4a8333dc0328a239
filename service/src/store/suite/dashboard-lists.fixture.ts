import { codeEventCardsMax, listAuditOfSubject, listCodeEvents, listCodeEventsOfCards, listUserActions } from '../audit.ts'
import { listCards, listConsents, listFunnelCards } from '../cards.ts'
import { listCounters } from '../counters.ts'
import { listDeliveriesOfObject, listDeliveryPage } from '../deliveries.ts'
import { listDeclinedOperations } from '../operations.ts'
import { countSummaries, listReceiptSummaries, sumSummaries, sumSummariesOfStatus, type SummaryKey } from '../receipt-summaries.ts'
import { listReceiptPage, listReceiptsOfCard } from '../receipts.ts'
import { findSegment, findSegmentBeyond, findSegmentWithId, HOUR_MS, listSegmentHeads } from '../request-segments.ts'
import { listMerchantInbox } from '../sandbox.ts'
import { listSmsSendsOfMerchant, listSmsSendsOfSubject } from '../sms-sends.ts'
import type { Store } from '../store.ts'
import type { Read, TimeCursor } from '../transaction.ts'
import { busyUser, idOfRow, counterHours, phoneHashOfRow, smsKeyId, timeOfRow } from './many-rows.fixture.ts'
import { idOfSegment, otherMerchantId, timeOfSegment } from './many-segments.fixture.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'

/** A query of a dashboard list, for the plan tests and the benchmark. Every list has its entries below. */
export interface ListQuery {
  /** `cards, first page`. */
  readonly name: string
  readonly read: Read<unknown>
  readonly run: (store: Pick<Store, 'read'>) => Promise<unknown>
  /** The maximum of table rows or index entries that one page may read. */
  readonly rowsMax: number
}

/** All list queries over `rows` rows made by `fillRows`; deep pages begin after `behind` rows. */
export function dashboardListQueries(rows: number, behind: number): readonly ListQuery[] {
  const of = { bucket, merchantId: sampleMerchantId }
  const page = { ...of, count: 26 }
  const deep = { at: timeOfRow(rows - behind), id: idOfRow(rows - behind) }
  const deepHash = { at: deep.at, id: Buffer.from(String(rows - behind).padStart(32, '0')).toString('hex') }
  const deepCode = { at: deep.at, requestId: (rows - behind).toString(16).padStart(24, '0'), seq: rows - behind }
  const deepDelivery = { createdAt: deep.at, eventId: deep.id, endpointId: idOfRow(1) }
  const someCard = { ...of, cardId: idOfRow(rows - 1) }

  const anyTime = { from: 0, to: Number.MAX_SAFE_INTEGER }
  const cards = (name: string, query: Parameters<typeof listCards>[0]): ListQuery =>
    row(`cards, ${name}`, query.count * 2, listCards(query), (store) => store.read(listCards(query)))
  const receipts = (name: string, query: Parameters<typeof listReceiptPage>[0]): ListQuery =>
    row(`receipts, ${name}`, query.count * 2, listReceiptPage(query), (store) => store.read(listReceiptPage(query)))
  const summaries = (name: string, by: SummaryKey, over: Partial<Parameters<typeof listReceiptSummaries>[0]> = {}): ListQuery => {
    const query = { ...page, ...anyTime, by, after: null, ...over }
    return row(`receipt summaries, ${name}`, query.count * 3, listReceiptSummaries(query), (store) =>
      store.read(listReceiptSummaries(query)),
    )
  }
  const deliveries = (name: string, query: Parameters<typeof listDeliveryPage>[0]): ListQuery =>
    row(`deliveries, ${name}`, query.count * 3, listDeliveryPage(query), (store) => store.read(listDeliveryPage(query)))
  const codes = (name: string, query: Parameters<typeof listCodeEvents>[0]): ListQuery =>
    row(`codes, ${name}`, query.count * 3, listCodeEvents(query), (store) => store.read(listCodeEvents(query)))
  const codesOfCards = (name: string, query: Parameters<typeof listCodeEvents>[0]): ListQuery =>
    row(`codes of some cards, ${name}`, query.count * 6, listCodeEventsOfCards(query, codeCards), (store) =>
      store.read(listCodeEventsOfCards(query, codeCards)),
    )
  const userActions = (name: string, query: Parameters<typeof listUserActions>[0]): ListQuery =>
    row(`audit, ${name}`, query.count * 2, listUserActions(query), (store) => store.read(listUserActions(query)))
  const consents = (name: string, query: Parameters<typeof listConsents>[0]): ListQuery =>
    row(`consents, ${name}`, query.count * 4, listConsents(query), (store) => store.read(listConsents(query)))
  const lastHour = { from: timeOfRow(rows - 3600), to: timeOfRow(rows) }
  // Five digits of eight: 4,096 seconds.
  const secondsOfIdStart = { from: deep.at - (deep.at % 4_096_000), to: deep.at - (deep.at % 4_096_000) + 4_096_000 }
  const ofObject = { ...of, objectId: idOfRow(rows - 1), count: 100 }
  // Codes were sent to these.
  const codeCards = Array.from({ length: codeEventCardsMax }, (_, at) => idOfRow(rows - behind - 2 - at * 4))
  const ofCode = { subject: idOfRow(rows - 1), merchantId: sampleMerchantId, at: timeOfRow(rows - 1) }
  const ofPhone = { merchantId: sampleMerchantId, keyId: smsKeyId, phoneHash: phoneHashOfRow(1000), count: 5 }
  const funnel = { ...of, from: T0, to: Number.MAX_SAFE_INTEGER, cardsMax: 2000 }
  const counters = { ...of, fromHour: counterHours.from, toHour: counterHours.to, stepHours: 24 } as const

  return [
    cards('first page', { ...page, after: null, by: null }),
    cards('deep page', { ...page, after: deep, by: null }),
    cards('what one pass over consents reads', { ...page, count: 200, after: null, by: null }),
    cards('by the last four', { ...page, after: null, by: { lastFour: '0111' } }),
    cards('by the last four, deep', { ...page, after: deep, by: { lastFour: '0111' } }),
    cards('by the payer', { ...page, after: null, by: { customer: 'payer 7' } }),
    cards('by an unknown payer', { ...page, after: null, by: { customer: 'unknown' } }),
    row('card, its receipts', 26, listReceiptsOfCard(someCard, 26), (store) => store.read(listReceiptsOfCard(someCard, 26))),
    row('card, its declined payments', 26, listDeclinedOperations(someCard, 26), (store) =>
      store.read(listDeclinedOperations(someCard, 26)),
    ),
    row('card, its audit', 200, listAuditOfSubject(sampleMerchantId, someCard.cardId, 100), (store) =>
      store.read(listAuditOfSubject(sampleMerchantId, someCard.cardId, 100)),
    ),
    receipts('first page', { ...page, ...anyTime, state: null, after: null }),
    receipts('deep page', { ...page, ...anyTime, state: null, after: deep }),
    receipts('of an hour', { ...page, ...lastHour, state: null, after: null }),
    receipts('by the first digits of an id', { ...page, count: 5, ...secondsOfIdStart, state: null, after: null }),
    receipts('of one second, to compare their ids', {
      ...page,
      count: 500,
      from: deep.at + 1000,
      to: deep.at + 2000,
      state: null,
      after: null,
    }),
    receipts('in one state', { ...page, ...anyTime, state: 5, after: null }),
    receipts('in one state, deep', { ...page, ...anyTime, state: 5, after: deep }),
    summaries('first page', { key: 'time' }),
    summaries('deep page', { key: 'time' }, { after: deep }),
    summaries('what a page of one amount range reads', { key: 'time' }, { after: deep, count: 500 }),
    summaries('in one status', { key: 'status', value: 'authorized' }),
    summaries('in one status, deep', { key: 'status', value: 'authorized' }, { after: deep }),
    summaries('of one card', { key: 'card', value: (123).toString(16).padStart(24, '0') }),
    summaries('of one customer, deep', { key: 'customer', value: 'payer 7' }, { after: deep }),
    summaries('of one amount', { key: 'amount', value: 500_007 }),
    summaries('by the time of payment', { key: 'captured' }),
    summaries('by the time of payment, deep', { key: 'captured' }, { after: deep }),
    summaries('by the time of refund', { key: 'refunded' }),
    summaries('by the time of refund, deep', { key: 'refunded' }, { after: deep }),
    row('receipt summaries, debited in an hour', 4000, sumSummaries('captured', { ...of, ...lastHour }), (store) =>
      store.read(sumSummaries('captured', { ...of, ...lastHour })),
    ),
    row('receipt summaries, returned in an hour', 400, sumSummaries('refunded', { ...of, ...lastHour }), (store) =>
      store.read(sumSummaries('refunded', { ...of, ...lastHour })),
    ),
    row('receipt summaries, pending of an hour', 800, sumSummariesOfStatus('authorized', { ...of, ...lastHour }, 100_000), (store) =>
      store.read(sumSummariesOfStatus('authorized', { ...of, ...lastHour }, 100_000)),
    ),
    row('receipt summaries, how many there are at most', 8000, countSummaries({ key: 'time' }, { ...of, ...lastHour }, 9000), (store) =>
      store.read(countSummaries({ key: 'time' }, { ...of, ...lastHour }, 9000)),
    ),
    summaries('of one order', { key: 'order', value: 'order 00000123' }),
    row('SMS to one phone', 10, listSmsSendsOfMerchant(ofPhone), (store) => store.read(listSmsSendsOfMerchant(ofPhone))),
    deliveries('first page', { ...page, state: null, after: null }),
    deliveries('deep page', { ...page, state: null, after: deepDelivery }),
    deliveries('given up, deep', { ...page, state: 'dead', after: deepDelivery }),
    row('deliveries, of one receipt', 300, listDeliveriesOfObject(ofObject), (store) => store.read(listDeliveriesOfObject(ofObject))),
    deliveries('what a page of one type reads', { ...page, count: 501, state: null, after: null }),
    codes('first page', { ...page, ...anyTime, after: null }),
    codes('deep page', { ...page, ...anyTime, after: deepCode }),
    codes('of an hour', { ...page, ...lastHour, after: null }),
    codes('what a page of one outcome reads', { ...page, ...anyTime, count: 501, after: null }),
    codesOfCards('first page', { ...page, ...anyTime, after: null }),
    codesOfCards('deep page', { ...page, ...anyTime, after: deepCode }),
    row('code, its card’s audit', 1000, listAuditOfSubject(sampleMerchantId, codeCards[0] ?? '', 500), (store) =>
      store.read(listAuditOfSubject(sampleMerchantId, codeCards[0] ?? '', 500)),
    ),
    row('code, its messages', 30, listSmsSendsOfSubject(ofCode), (store) => store.read(listSmsSendsOfSubject(ofCode))),
    row('SMS to one phone, what a search by it reads', 400, listSmsSendsOfMerchant({ ...ofPhone, count: 200 }), (store) =>
      store.read(listSmsSendsOfMerchant({ ...ofPhone, count: 200 })),
    ),
    row('codes, funnel', 20_000, listFunnelCards(funnel), (store) => store.read(listFunnelCards(funnel))),
    userActions('first page', { ...page, after: null }),
    userActions('deep page', { ...page, after: deepHash }),
    row('audit, of a busy user', 200, listAuditOfSubject(sampleMerchantId, busyUser, 100), (store) =>
      store.read(listAuditOfSubject(sampleMerchantId, busyUser, 100)),
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
    row('charts, a week', 24 * 168, listCounters(counters), (store) => store.read(listCounters(counters))),
  ]
}

/** All queries of the request log over `segments` segments made by `fillSegments`; deep pages begin after `behind` of them. */
export function requestLogQueries(segments: number, behind: number): readonly ListQuery[] {
  const of = { bucket, merchantId: sampleMerchantId }
  const cursorOf = (n: number): TimeCursor => ({ at: timeOfSegment(n, segments), id: idOfSegment(n) })
  const end: TimeCursor = { at: Number.MAX_SAFE_INTEGER, id: '' }
  // A segment of the sample merchant.
  const deep = cursorOf(segments - behind + 3)
  const plain = { needles: [], minErrors: 0, minResults: 0, minMicros: 0 }
  const query = <T>(name: string, rowsMax: number, read: Read<T>): ListQuery =>
    row(`request log, ${name}`, rowsMax, read, (store) => store.read(read))
  const heads = (name: string, over: Partial<Parameters<typeof listSegmentHeads>[0]>): ListQuery => {
    const { count = 64, ...more } = over
    const list = { ...of, ...plain, behind: end, latest: end.at, from: 0, count, ...more }
    return query(name, count * 2, listSegmentHeads(list))
  }
  const needles = ['c'.repeat(24), '"cards.check"']
  const lookUp = { requestId: deep.id, from: deep.at - 2000, to: deep.at + 180_000 }
  const segmentsOfHour = Math.ceil((segments * (HOUR_MS + 182_000)) / (14 * 24 * HOUR_MS)) + 1

  return [
    heads('first page', {}),
    heads('deep page', { behind: deep, latest: deep.at }),
    heads('of a day', { behind: deep, latest: deep.at, from: deep.at - 24 * HOUR_MS }),
    heads('of failed calls', { minErrors: 1 }),
    heads('of one card', { needles: needles.slice(0, 1) }),
    heads('of one card and method, deep', { needles, behind: deep, latest: deep.at }),
    heads('what a search reads at most at a time', { needles: ['nowhere'], count: 1024 }),
    query('one segment', 2, findSegment(of, deep)),
    query('one call', segmentsOfHour, findSegmentWithId(of, lookUp)),
    // The calls of a merchant are summed. Of one that has most of them, PostgreSQL reads the whole table.
    query(
      'beyond the maximum',
      segments / 1000,
      findSegmentBeyond({ bucket, merchantId: otherMerchantId, caller: 'server', keep: Math.floor(segments / 2000) }),
    ),
  ]
}

function row(name: string, rowsMax: number, read: Read<unknown>, query: ListQuery['run']): ListQuery {
  return { name, rowsMax, read, run: query }
}
