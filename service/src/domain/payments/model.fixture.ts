/** The rules of payments in their shortest form; the app's replies are compared with it one by one. */
export interface MoneyRules {
  readonly unpaidLifetimeMs: number
  readonly holdLifetimeMs: number
  readonly oneTimeLifetimeMs: number
  /** Whether a one-time card is used up by its payment. */
  readonly isOnce: boolean
  /** Whether a one-time card is locked while a payment with it is in progress. */
  readonly isLocked: boolean
  /** Whether an approval that was not received is reversed. */
  readonly isReversed: boolean
  /** Whether the part of a hold that is not captured is released. */
  readonly isPartReleased: boolean
}

export const moneyRules: MoneyRules = Object.freeze({
  unpaidLifetimeMs: 12 * 3_600_000,
  holdLifetimeMs: 7 * 86_400_000,
  oneTimeLifetimeMs: 86_400_000,
  isOnce: true,
  isLocked: true,
  isReversed: true,
  isPartReleased: true,
})

/** What the network does with the next movement of money. */
export type NetworkMood = 'none' | 'insufficient_funds' | 'lose_answer' | 'lose_request'

export interface PayingCard {
  readonly save: boolean
  readonly isVerified: boolean
  readonly endsAt: number
  gone: 'card_deleted' | null
  /** The receipt whose payment with it is open. */
  lockedBy: ModelReceipt | null
}

export interface ModelReceipt {
  readonly amountTiyin: number
  readonly endsAt: number
  state: 'open' | 'paid' | 'held' | 'unknown' | 'back' | 'cancelled'
  /** What the network has taken, whether the app knows it or not. */
  taken: number
  heldTiyin: number
  heldUntil: number
  /** The amount of a capture in progress; null without one. */
  confirming: number | null
  isHold: boolean
  card: PayingCard | null
}

/** `now` is the time as the service has it; money is whole tiyin. */
export function makeMoneyModel(now: () => number, rule: MoneyRules = moneyRules) {
  return { card, bill, pay, confirm, cancel, check, remove, calm }

  function card(save: boolean, isVerified: boolean): PayingCard {
    const life = isVerified ? (save ? Infinity : rule.oneTimeLifetimeMs) : 1_800_000
    return { save, isVerified, endsAt: now() + life, gone: null, lockedBy: null }
  }

  function bill(amountTiyin: number): ModelReceipt {
    const bare = { taken: 0, heldTiyin: 0, heldUntil: 0, confirming: null, isHold: false, card: null }
    return { ...bare, amountTiyin, endsAt: now() + rule.unpaidLifetimeMs, state: 'open' }
  }

  function remove(it: PayingCard): string {
    const why = it.gone ?? (now() >= it.endsAt ? 'card_ended' : null)
    if (why === null) it.gone = 'card_deleted'
    return why ?? 'removed'
  }

  function pay(it: ModelReceipt, by: PayingCard, hold: boolean, mood: NetworkMood): string {
    if (it.state === 'unknown') return 'receipt_in_progress'
    if (it.state === 'paid' || it.state === 'held') return 'receipt_paid'
    if (it.state !== 'open' || now() >= it.endsAt) return 'receipt_cancelled'
    const why = by.gone ?? (now() >= by.endsAt ? 'card_ended' : by.isVerified ? null : 'card_not_verified')
    if (why !== null) return why
    if (by.lockedBy !== null && rule.isLocked) return 'card_in_use'
    if (mood === 'insufficient_funds') return mood
    it.isHold = hold
    it.card = by
    if (mood !== 'lose_request') take(it)
    if (mood !== 'none') {
      it.state = 'unknown'
      if (!by.save) by.lockedBy = it
      return 'payment_unknown'
    }
    settle(it, by)
    return it.state
  }

  function take(it: ModelReceipt): void {
    if (it.isHold) it.heldTiyin = it.amountTiyin
    else it.taken = it.amountTiyin
  }

  function settle(it: ModelReceipt, by: PayingCard): void {
    it.state = it.isHold ? 'held' : 'paid'
    it.heldUntil = now() + rule.holdLifetimeMs
    if (!by.save && rule.isOnce) by.gone = 'card_deleted'
  }

  function confirm(it: ModelReceipt, part: number, mood: NetworkMood): string {
    if (it.state === 'unknown') return 'receipt_in_progress'
    if (it.state !== 'held' || now() >= it.heldUntil) return 'receipt_not_held'
    if (it.confirming !== null) return 'receipt_in_progress'
    if (part > it.amountTiyin) return 'amount_above_hold'
    it.confirming = part
    if (mood === 'lose_answer' || mood === 'lose_request') return 'payment_unknown'
    captured(it, part)
    return 'paid'
  }

  function captured(it: ModelReceipt, part: number): void {
    Object.assign(it, { state: 'paid', taken: part, heldTiyin: rule.isPartReleased ? 0 : it.amountTiyin - part, confirming: null })
  }

  function cancel(it: ModelReceipt): string {
    if (it.state === 'unknown' || it.confirming !== null) return 'receipt_in_progress'
    if (it.state === 'back' || it.state === 'cancelled') return 'cannot_cancel'
    it.state = it.state === 'open' ? 'cancelled' : 'back'
    return it.state
  }

  function check(it: ModelReceipt): string {
    return it.state
  }

  /** The network replies again, and the worker finishes everything. */
  function calm(it: ModelReceipt): void {
    const free = (): void => {
      if (it.card?.lockedBy === it) it.card.lockedBy = null
    }
    const isTaken = it.taken + it.heldTiyin > 0
    if (it.state === 'open' && now() >= it.endsAt) it.state = 'cancelled'
    if (it.confirming !== null) captured(it, it.confirming)
    if (it.state === 'held' && now() >= it.heldUntil) it.state = 'back'
    if (it.state === 'unknown') {
      free()
      it.state = isTaken ? 'back' : now() >= it.endsAt ? 'cancelled' : 'open'
      if (isTaken && !rule.isReversed) it.state = it.isHold ? 'held' : 'paid'
    }
    if (it.state === 'back') Object.assign(it, { state: 'cancelled', taken: 0, heldTiyin: 0 })
  }
}

export type MoneyModel = ReturnType<typeof makeMoneyModel>
