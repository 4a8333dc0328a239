/** A call of the API whose cost is measured (`npm run bench -- costs`). */
export const pricedCalls = [
  'cards.create',
  'cards.get_verify_code',
  'cards.verify',
  'cards.check',
  'receipts.create',
  'receipts.pay',
] as const

export type PricedCall = (typeof pricedCalls)[number]

/** What a provider expects. */
export interface Demand {
  /** Stored at once. */
  readonly cards: number
  /** In the busiest hour. */
  readonly callsPerSecond: number
  /** Calls of an average hour, as a share of the busiest: 0.3 is a usual day and night. */
  readonly averageLoad: number
  /** Of all calls, the share of each; they add up to 1. Null: registrations that replace the cards as they end, and payments for the rest. */
  readonly mix: CallMix | null
  /** How long receipts and the audit are stored, years. */
  readonly years: number
  /** How long a card is stored until it expires or is removed, years. */
  readonly cardYears: number
}

export type CallMix = Readonly<Record<PricedCall, number>>

/** A demand that contradicts itself; the message says how. */
export class ImpossibleDemand extends Error {
  override readonly name = 'ImpossibleDemand'
}

/**
 * The shares of the calls. Unless they are given, as many cards are registered (created, sent a code, verified) as end, so that there are always as many, and of
 * the other calls one in eleven is a look at a card and the rest are payments, each of two calls. Throws `ImpossibleDemand` when the registrations alone are more
 * calls than there are.
 */
export function mixOf({ mix, cards, cardYears, averageLoad, callsPerSecond }: Demand): CallMix {
  if (mix !== null) return mix
  const registrationsPerSecond = cards / (cardYears * secondsAYear * averageLoad)
  const registration = registrationsPerSecond / callsPerSecond
  const others = 1 - registration * 3
  if (others < 0) {
    const [needed, years] = [Math.ceil(registrationsPerSecond * 3).toLocaleString('en'), cardYears.toLocaleString('en')]
    throw new ImpossibleDemand(`to replace the cards as they end, after ${years} years, takes ${needed} calls a second alone`)
  }
  return {
    'cards.create': registration,
    'cards.get_verify_code': registration,
    'cards.verify': registration,
    'cards.check': others / 11,
    'receipts.create': (others * 5) / 11,
    'receipts.pay': (others * 5) / 11,
  }
}

export const secondsAYear = 365 * 86_400
