import type { DeclineReason } from '../../service/src/adapters/network/network.ts'

/** A draw in [0, 1). */
export type Draw = () => number

/** What a customer does on one visit, and what becomes of it. */
export interface PlannedVisit {
  readonly kind: 'visit'
  readonly at: number
  readonly customer: number
  readonly isSaved: boolean
  /** The last four digits of the test card. */
  readonly card: string
  readonly verification: 'right' | 'wrongOnce' | 'allWrong' | 'abandoned'
  readonly payment: PlannedPayment
  readonly amountTiyin: number
  readonly address: string
  /** Whether the shop sends the receipt by SMS. */
  readonly isReceiptSent: boolean
}

export type PlannedPayment =
  | { readonly kind: 'paid' | 'lostReply' | 'unpaid' | 'cancelledUnpaid' }
  /** `then`: the customer tries again at once. */
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly then: 'paid' | 'leaves' }
  | { readonly kind: 'refunded'; readonly afterMs: number; readonly by: 'server' | 'support' }
  | { readonly kind: 'held'; readonly afterMs: number; readonly then: 'captured' | 'capturedInPart' | 'released' | 'left' }

export interface ShopProfile {
  /** Whether it holds the money first and captures it when the order leaves. */
  readonly holds: boolean
  readonly minSom: number
  readonly maxSom: number
}

export interface VisitPlanOptions {
  readonly from: number
  readonly to: number
  readonly visitsPerDay: number
  readonly profile: ShopProfile
}

/** The visits of a shop from `from` to before `to`, in the order of time: more in the evening and at the weekend, and a little more each day. */
export function planVisits({ from, to, visitsPerDay, profile }: VisitPlanOptions, draw: Draw): PlannedVisit[] {
  const days = Math.round((to - from) / trafficDayMs)
  const visits: PlannedVisit[] = []
  for (let day = 0; day < days; day++) {
    const weekday = new Date(from + day * trafficDayMs + tashkentMs).getUTCDay()
    const isWeekend = weekday === 0 || weekday === 6
    const count = Math.max(1, Math.round(visitsPerDay * (isWeekend ? 1.3 : 0.9) * (0.85 + (0.3 * day) / days) * (0.9 + draw() * 0.2)))
    for (let n = 0; n < count; n++) visits.push(planVisit(from + day * trafficDayMs + drawTimeOfDay(draw), visitsPerDay * 4, profile, draw))
  }
  return visits.filter(({ at }) => at < to).sort((a, b) => a.at - b.at)
}

function planVisit(at: number, customers: number, profile: ShopProfile, draw: Draw): PlannedVisit {
  const { minSom, maxSom } = profile
  // Half of the visits are of a fifth of the customers.
  const customer = Math.floor(draw() < 0.5 ? (draw() * customers) / 5 : draw() * customers)
  const amountSom = minSom + (maxSom - minSom) * draw() ** 2.5
  return {
    kind: 'visit',
    at,
    customer,
    isSaved: draw() < 0.6,
    card: choose(cards, draw),
    verification: choose(verifications, draw),
    payment: planPayment(profile, draw),
    // Prices end in so'm, a delivery sometimes in tiyin.
    amountTiyin: Math.round(amountSom / 500) * 50_000 + (draw() < 0.1 ? 50 : 0),
    address:
      draw() < 0.85 ? `198.51.100.${String(1 + Math.floor(draw() * 250))}` : `2001:db8:${Math.floor(draw() * 0xffff).toString(16)}::7`,
    isReceiptSent: draw() < 0.15,
  }
}

function planPayment({ holds }: ShopProfile, draw: Draw): PlannedPayment {
  const kind = choose(holds ? paymentsOfHolding : payments, draw)
  if (kind === 'declined') return { kind, reason: choose(declines, draw), then: draw() < 0.4 ? 'paid' : 'leaves' }
  if (kind === 'refunded') return { kind, afterMs: (1 + draw() * 70) * hourMs, by: draw() < 0.5 ? 'support' : 'server' }
  if (kind === 'held') return { kind, afterMs: (1 + draw() * 30) * hourMs, then: choose(endsOfHolds, draw) }
  return { kind }
}

type Shares<T> = readonly (readonly [share: number, value: T])[]

const cards: Shares<string> = [
  [62, '6311'],
  [27, '6478'],
  [5, '0842'],
  [2, '4657'],
  [2, '9073'],
  [1.5, '0323'],
  [0.5, '9596'],
]
const verifications: Shares<PlannedVisit['verification']> = [
  [86, 'right'],
  [8, 'wrongOnce'],
  [2, 'allWrong'],
  [4, 'abandoned'],
]
const payments: Shares<PlannedPayment['kind']> = [
  [77, 'paid'],
  [9, 'declined'],
  [5, 'refunded'],
  [5, 'unpaid'],
  [3, 'cancelledUnpaid'],
  [1, 'lostReply'],
]
const paymentsOfHolding: Shares<PlannedPayment['kind']> = [
  [70, 'held'],
  [12, 'paid'],
  [10, 'declined'],
  [4, 'refunded'],
  [4, 'unpaid'],
]
const endsOfHolds: Shares<'captured' | 'capturedInPart' | 'released' | 'left'> = [
  [68, 'captured'],
  [14, 'capturedInPart'],
  [12, 'released'],
  [6, 'left'],
]
const declines: Shares<DeclineReason> = [
  [60, 'insufficientFunds'],
  [20, 'cardLimit'],
  [12, 'declined'],
  [5, 'cardBlocked'],
  [3, 'debitFailed'],
]
/** The share of each hour of a day in Tashkent. */
const hours = [1, 0.6, 0.4, 0.3, 0.3, 0.5, 1, 2, 3, 4, 5, 5.5, 6, 6, 5.5, 5, 5.5, 6.5, 8, 9, 9, 7.5, 5, 2.5]

function drawTimeOfDay(draw: Draw): number {
  const hour = choose(
    hours.map((share, index) => [share, index] as const),
    draw,
  )
  return Math.floor((hour + draw()) * hourMs)
}

export function choose<T>(rows: Shares<T>, draw: Draw): T {
  let left = draw() * rows.reduce((sum, [share]) => sum + share, 0)
  for (const [share, value] of rows) {
    left -= share
    if (left < 0) return value
  }
  throw new Error('nothing to choose from')
}

/** Draws of a seed (mulberry32): the same plan each time. */
export function makeDraw(seed: number): Draw {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const hourMs = 3_600_000
/** A day of the plan. */
export const trafficDayMs = 24 * hourMs
/** Days are those of Tashkent (UTC+5). */
export const tashkentMs = 5 * hourMs
