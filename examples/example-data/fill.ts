import type { App } from '../../service/src/app.ts'
import { listBackgroundJobs } from '../../service/src/app/background-jobs.ts'
import type { Sandbox } from '../../service/src/adapters/sandbox/sandbox.ts'

import { makeApiCaller, makeOperatorCaller, type ExampleCaller } from './callers.ts'
import type { ExampleFaults } from './example-adapters.ts'
import type { PastClock } from './past-clock.ts'
import { makeVisits, type LaterEvent } from './shop-visits.ts'
import { makeTeam } from './team.ts'
import { zeroTotals, type ShopTotals } from './totals.ts'
import { trafficDayMs, hourMs, makeDraw, type PlannedVisit, planVisits, type Draw, type ShopProfile, tashkentMs } from './traffic.ts'
import { openWebhookReceiver } from './webhook-receiver.ts'

export interface FillOptions {
  /** Of the larger shop. */
  readonly visitsPerDay: number
  readonly days: number
  /** When the data ends, Unix milliseconds. */
  readonly until: number
  /** Called at the end of each day. */
  readonly onDay?: (day: number, days: number) => void
}

/** One of the shops, with what its traffic came to. */
export interface FilledShop {
  readonly merchantId: string
  readonly name: string
  readonly ownerPhone: string
  readonly ownerPassword: string
  readonly totals: ShopTotals
}

/** The first of `days` days that end at `until`: its midnight in Tashkent. */
export function firstMidnight({ days, until }: Pick<FillOptions, 'days' | 'until'>): number {
  return Math.floor((until + tashkentMs) / trafficDayMs) * trafficDayMs - tashkentMs - (days - 1) * trafficDayMs
}

/** Fills the demo merchant and a second one through the operations of the service. The clock is at `firstMidnight`, and ends at `until`. */
export async function fillExampleData(
  app: App,
  clock: PastClock,
  faults: ExampleFaults,
  options: FillOptions,
): Promise<readonly FilledShop[]> {
  const { days, until, visitsPerDay } = options
  const { sandbox } = app.services
  if (sandbox === null) throw new Error('only the test environment has test cards')
  const from = firstMidnight(options)
  const draw = makeDraw(20_261_128)
  const operator = makeOperatorCaller(app)
  const outages = planOutages({ from, days, until })
  const receiver = await openWebhookReceiver(() => outages.webhooks(clock.now()))
  const events: LaterEvent[] = []
  const shared = { app, clock, faults, sandbox, operator, draw, from, events, options, webhookOrigin: receiver.origin }
  try {
    const shops = [
      await openShop({ ...(await ownDemoMerchant(app, operator, sandbox)), phonePrefix: '99890000010' }, products, visitsPerDay, shared),
      await openShop(
        { ...(await createTravelAgency(operator)), phonePrefix: '99890000020' },
        journeys,
        Math.ceil(visitsPerDay / 3),
        shared,
      ),
    ]
    events.sort((a, b) => b.at - a.at)
    let nextJobsAt = from
    for (let day = 0; events.length > 0 || nextJobsAt < until;) {
      const event = events.at(-1)
      if (event === undefined || event.at >= nextJobsAt) {
        clock.moveTo(nextJobsAt)
        await runJobs(app)
        nextJobsAt += jobsEveryMs
        if (nextJobsAt >= from + (day + 1) * trafficDayMs) options.onDay?.(++day, days)
        if (nextJobsAt > until) break
        continue
      }
      events.pop()
      clock.moveTo(event.at)
      faults.isSmsGatewayAway = outages.sms(clock.now())
      await event.run()
    }
    clock.moveTo(until)
    await runJobs(app)
    return shops
  } finally {
    await receiver.close()
  }
}

interface SharedByShops {
  readonly app: App
  readonly clock: PastClock
  readonly faults: ExampleFaults
  readonly sandbox: Sandbox
  readonly operator: ExampleCaller
  readonly draw: Draw
  readonly from: number
  /** What is still to come, the latest first. */
  readonly events: LaterEvent[]
  readonly options: FillOptions
  readonly webhookOrigin: string
}

interface NewShop extends Omit<FilledShop, 'totals'> {
  /** Of the API. */
  readonly password: string
  readonly phonePrefix: string
  readonly account: (order: number) => Readonly<Record<string, string>>
}

/** Plans everything that happens at a shop. */
async function openShop(
  { account, phonePrefix, password, ...shop }: NewShop,
  profile: ShopProfile,
  visitsPerDay: number,
  shared: SharedByShops,
): Promise<FilledShop> {
  const { app, clock, from, options, events, sandbox } = shared
  const totals = zeroTotals()
  let orders = 10_000
  const owner = { phone: shop.ownerPhone, password: shop.ownerPassword }
  const team = makeTeam(app, shared.operator, {
    ...shared,
    merchantId: shop.merchantId,
    owner,
    ownerName: 'Nodira Saidova',
    phonePrefix,
    days: options.days,
  })
  const visit = makeVisits({
    clock,
    faults: shared.faults,
    totals,
    server: makeApiCaller(app, { xAuth: `${shop.merchantId}:${password}`, address: '192.0.2.80' }),
    page: (address) => makeApiCaller(app, { xAuth: shop.merchantId, address }),
    refundBySupport: team.refund,
    nextAccount: () => account(++orders),
    later: (event) => insertEvent(events, event, options.until),
    cardNumber: (lastFour) => sandbox.cards.find(({ number }) => number.endsWith(lastFour))?.number ?? '',
  })
  for (const planned of planVisits({ from, to: options.until, visitsPerDay, profile }, shared.draw)) {
    events.push({ at: planned.at, run: () => visit(planned) })
  }
  events.push(...team.events.filter(({ at }) => at < options.until))
  // Somebody waits for a code at the end, so that there is one to look for whatever the size.
  events.push({ at: options.until - lastOutageMs / 2, run: () => visit(makeWaitingVisit(options.until - lastOutageMs / 2)) })
  return { ...shop, totals }
}

/** Into a list whose last one is the next; what would happen after the end never does. */
function insertEvent(events: LaterEvent[], event: LaterEvent, until: number): void {
  if (event.at >= until) return
  const index = events.findLastIndex(({ at }) => at > event.at)
  events.splice(index + 1, 0, event)
}

/** The demo merchant and its login, as the first start of a service creates them; with a name and fields of a real shop. */
async function ownDemoMerchant(
  { services }: App,
  operator: ExampleCaller,
  { merchant, demo }: Sandbox,
): Promise<Omit<NewShop, 'phonePrefix'>> {
  await services.merchants.ensureMerchant(merchant)
  const { merchantId, dashboardPhone: ownerPhone, dashboardPassword: ownerPassword } = demo
  await services.dashboard.ensureLogin({ merchantId, phone: ownerPhone, password: ownerPassword })
  const name = 'Novvot'
  const patch = { name, organization: 'Novvot MChJ', address: 'Toshkent, Amir Temur ko‘chasi 15', accountFields: [orderField] }
  await operator.expect('operator.merchants.change', { merchantId, patch })
  const account = (order: number) => ({ order_id: String(order) })
  return { merchantId, name, password: merchant.password, ownerPhone, ownerPassword, account }
}

async function createTravelAgency(operator: ExampleCaller): Promise<Omit<NewShop, 'phonePrefix'>> {
  const name = 'Chinor Travel'
  const patch = { name, organization: 'Chinor Travel MChJ', accountFields: [bookingField, travellerField] }
  const { merchantId, password } = await operator.expect<{ merchantId: string; password: string }>('operator.merchants.create', { patch })
  const ownerPhone = '998900000020'
  const { password: ownerPassword } = await operator.expect<{ password: string }>('operator.users.create', {
    merchantId,
    phone: ownerPhone,
    role: 'owner',
  })
  const account = (order: number) => ({ booking: `CT-${String(order)}`, traveller: `Guest ${String(order % 97)}` })
  return { merchantId, name, password, ownerPhone, ownerPassword, account }
}

const products: ShopProfile = { holds: false, minSom: 12_000, maxSom: 1_400_000 }
const journeys: ShopProfile = { holds: true, minSom: 350_000, maxSom: 18_000_000 }
const orderField = {
  name: 'order_id',
  title: { en: 'Order', ru: 'Номер заказа', uz: 'Buyurtma raqami' },
  required: true,
  kind: 'reference',
}
const bookingField = { name: 'booking', title: { en: 'Booking', ru: 'Бронирование', uz: 'Bron raqami' }, required: true, kind: 'reference' }
const travellerField = { name: 'traveller', title: { en: 'Traveller', ru: 'Путешественник', uz: 'Sayohatchi' }, required: false }

/** By somebody who was never there before, with the card whose code is sent by the service. */
function makeWaitingVisit(at: number): PlannedVisit {
  const visit = { kind: 'visit', customer: -1, isSaved: false, card: '6478', verification: 'right', payment: { kind: 'unpaid' } } as const
  return { ...visit, at, amountTiyin: 8_900_000, address: '198.51.100.7', isReceiptSent: false }
}

/** Two hours without the SMS gateway and its last minutes, and three hours in which the shops' servers take no webhooks. */
function planOutages({ from, days, until }: { from: number; days: number; until: number }): {
  sms(at: number): boolean
  webhooks(at: number): boolean
} {
  const begin = (day: number, hour: number): number => from + (Math.max(0, Math.min(day, days - 2)) * 24 + hour) * hourMs
  const [sms, webhooks] = [begin(5, 18), begin(9, 19)]
  return {
    sms: (at) => (at >= sms && at < sms + 2 * hourMs) || at >= until - lastOutageMs,
    webhooks: (at) => at >= webhooks && at < webhooks + 3 * hourMs,
  }
}

/** One run of each background job of the service, and everything that they began. */
async function runJobs({ services }: App): Promise<void> {
  const { signal } = new AbortController()
  for (const { event, run } of listBackgroundJobs(services)) {
    // In its place `runOnce`, which waits for the receipts that it began.
    if (event !== 'receipts_reconciled') await run(signal)
  }
  await services.receiptWorker.runOnce()
  await services.webhooks.idle()
  // A checkpoint that is still being written when the time moves on would seem to be late by hours.
  await services.checkpoints.flush()
}

const jobsEveryMs = 15 * 60_000
const lastOutageMs = 40 * 60_000
