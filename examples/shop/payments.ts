import { randomBytes } from 'node:crypto'
import { receiptStates, type Tessera } from '@tessera/client'

import type { Buyer, ShopOrder, Records, SavedCard } from './records.ts'

export interface ShopPaymentDependencies {
  /** The part of the client library that is used here. */
  readonly tessera: Pick<Tessera, 'outcome'>
  readonly records: Records
  /** The current time, Unix milliseconds. */
  readonly now: () => number
}

/** The price of a box: 129,000 soʻm. */
export const boxTiyin = 12_900_000

/** Orders and payments of the shop, independent of its pages. */
export type ShopPayments = ReturnType<typeof createPayments>

/** Creates the shop's payments. Actions on one order run one after another, however often a button is pressed. */
export function createPayments({ tessera, records, now }: ShopPaymentDependencies) {
  const running = new Map<string, Promise<unknown>>()

  /** `key` identifies the press of the button: pressed twice, it is one order. */
  function placeOrder({ buyer, plan, key }: { buyer: string; plan: ShopOrder['plan']; key: string }): ShopOrder {
    const existing = records.orders[key]
    if (existing !== undefined && existing.buyer === buyer) return existing
    const id = existing === undefined ? key : createOrderId()
    records.buyers[buyer] ??= { card: null, nextBoxAt: null }
    const order: ShopOrder = {
      id,
      buyer,
      amountTiyin: boxTiyin,
      plan,
      placedAt: now(),
      state: 'open',
      attempt: 1,
      receiptId: null,
      pays: 0,
      reason: null,
      paidBy: null,
    }
    records.orders[id] = order
    records.save()
    return order
  }

  /** Pays with a token that the page received from the form. The page is not trusted: the service says what the token is. */
  function payWithToken(order: ShopOrder, token: string): Promise<void> {
    return oneAtATime(order, async () => {
      const checked = await tessera.outcome('cards.check', { token })
      if (!checked.ok) return recordFailure(order, checked.problem.reason)
      const { number, expire, verify, recurrent } = checked.result.card
      if (!verify) return recordFailure(order, 'card_not_verified')
      // The token of a card whose owner did not agree is used once and never stored.
      if (recurrent) await saveCard(buyerOf(order), { token, number, expire, verify, recurrent })
      await pay(order, token)
    })
  }

  function payWithSavedCard(order: ShopOrder): Promise<void> {
    return oneAtATime(order, async () => {
      const { card } = buyerOf(order)
      if (card === null) return recordFailure(order, 'card_not_found')
      await pay(order, card.token)
    })
  }

  /** Reads the result of a payment that was sent. */
  function refresh(order: ShopOrder): Promise<void> {
    return oneAtATime(order, () => readReceipt(order, order.reason))
  }

  /** Charges the boxes that are due, once each. Call it as often as you like. */
  async function sendBoxesDue(): Promise<void> {
    for (const [id, buyer] of Object.entries(records.buyers)) {
      if (buyer.nextBoxAt === null || buyer.nextBoxAt > now() || buyer.card === null) continue
      // The order's key is the month, and the date is advanced before the payment: a crash here never charges a cardholder twice.
      const month = new Date(buyer.nextBoxAt).toISOString().slice(0, 7).replace('-', '')
      buyer.nextBoxAt = monthLater(buyer.nextBoxAt)
      await payWithSavedCard(placeOrder({ buyer: id, plan: 'monthly', key: `${id.slice(0, 10)}${month}` }))
    }
  }

  async function refreshAll(): Promise<void> {
    for (const order of Object.values(records.orders)) if (order.state === 'paying') await refresh(order)
  }

  /** Removes the card in the service, so that the token stops working, and then here. Returns the reason of a failure, or null. */
  async function removeCard(buyer: Buyer): Promise<string | null> {
    if (buyer.card === null) return null
    const removed = await tessera.outcome('cards.remove', { token: buyer.card.token })
    if (!removed.ok && !isCardGone(removed.problem.reason)) return removed.problem.reason
    forgetCard(buyer)
    return null
  }

  /** A webhook reports that a card was removed or has expired. It contains the card's id, the first part of its token. */
  function forgetCardById(id: string): void {
    for (const buyer of Object.values(records.buyers)) if (buyer.card?.token.startsWith(`${id}_`) === true) forgetCard(buyer)
  }

  function forgetCard(buyer: Buyer): void {
    buyer.card = buyer.nextBoxAt = null
    records.save()
  }

  /** Saves one card per buyer. The previous card is removed in the service too, because nothing would ever use it again. */
  async function saveCard(buyer: Buyer, card: SavedCard): Promise<void> {
    const previous = buyer.card
    buyer.card = card
    records.save()
    if (previous !== null && previous.token !== card.token) await tessera.outcome('cards.remove', { token: previous.token })
  }

  async function pay(order: ShopOrder, token: string): Promise<void> {
    // An earlier attempt may have succeeded after all.
    if (order.state === 'paying') await readReceipt(order, order.reason)
    if (order.state !== 'open') return
    if (order.receiptId === null && !(await createReceipt(order))) return
    const id = order.receiptId ?? ''
    // Stored before it is sent: after a crash the receipt is read before anything is paid.
    Object.assign(order, { state: 'paying', reason: null, pays: order.pays + 1 })
    records.save()
    const paid = await tessera.outcome('receipts.pay', { id, token }, { idempotencyKey: `${keyOf(order)}-pay-${order.pays}` })
    if (!paid.ok && isCardGone(paid.problem.reason) && buyerOf(order).card?.token === token) forgetCard(buyerOf(order))
    await readReceipt(order, paid.ok ? null : paid.problem.reason)
  }

  async function createReceipt(order: ShopOrder): Promise<boolean> {
    const params = { amount: order.amountTiyin, account: { order_id: order.id }, description: 'A box of tea' }
    const created = await tessera.outcome('receipts.create', params, { idempotencyKey: keyOf(order) })
    if (!created.ok) recordFailure(order, created.problem.reason)
    else order.receiptId = created.result.receipt._id
    records.save()
    return created.ok
  }

  /** Only the receipt says whether the money was taken; an error, or no error, does not. `reason` is recorded when nothing was taken. */
  async function readReceipt(order: ShopOrder, reason: string | null): Promise<ShopOrder> {
    if (order.receiptId === null) return order
    const receipt = await tessera.outcome('receipts.get', { id: order.receiptId })
    if (!receipt.ok) return update(order, { state: order.state, reason: receipt.problem.reason })
    const { state, card } = receipt.result.receipt
    if (state === receiptStates.paid) return recordPaid(order, card?.number ?? null)
    if (state === receiptStates.created) return update(order, { state: 'open', reason })
    if (state !== receiptStates.cancelled) return update(order, { state: order.state === 'paid' ? 'returned' : 'paying', reason })
    if (order.state === 'paid' || order.state === 'returned') return update(order, { state: 'returned', reason: null })
    // The receipt expired unpaid, or the network lost the payment and it was returned. The next attempt gets its own receipt.
    Object.assign(order, { receiptId: null, attempt: order.attempt + 1 })
    return update(order, { state: 'open', reason: order.pays === 0 ? null : 'money_returned' })
  }

  function recordPaid(order: ShopOrder, mask: string | null): ShopOrder {
    const buyer = buyerOf(order)
    if (order.state !== 'paid' && order.plan === 'monthly' && buyer.card !== null) buyer.nextBoxAt ??= monthLater(now())
    order.paidBy = mask
    return update(order, { state: 'paid', reason: null })
  }

  function recordFailure(order: ShopOrder, reason: string): ShopOrder {
    return order.state === 'paid' ? order : update(order, { state: order.state, reason })
  }

  function update(order: ShopOrder, changes: Pick<ShopOrder, 'state' | 'reason'>): ShopOrder {
    Object.assign(order, changes)
    records.save()
    return order
  }

  async function oneAtATime(order: ShopOrder, action: () => Promise<unknown>): Promise<void> {
    const previous = running.get(order.id) ?? Promise.resolve()
    const current = previous.catch(() => null).then(action)
    running.set(order.id, current)
    await current.finally(() => running.get(order.id) === current && running.delete(order.id))
  }

  function buyerOf({ buyer }: ShopOrder): Buyer {
    return (records.buyers[buyer] ??= { card: null, nextBoxAt: null })
  }

  return { placeOrder, payWithToken, payWithSavedCard, refresh, refreshAll, sendBoxesDue, removeCard, forgetCardById }
}

/** 24 random hex digits. */
export function createOrderId(): string {
  return randomBytes(12).toString('hex')
}

/** One key for one receipt of one order, however often the call is repeated. */
function keyOf({ id, attempt }: ShopOrder): string {
  return `order-${id}${attempt === 1 ? '' : `-${attempt}`}`
}

/** The same day of the next month in Tashkent, or the last day of that month. */
function monthLater(at: number): number {
  const tashkent = new Date(at + tashkentMs)
  const lastDay = new Date(Date.UTC(tashkent.getUTCFullYear(), tashkent.getUTCMonth() + 2, 0)).getUTCDate()
  const day = Math.min(tashkent.getUTCDate(), lastDay)
  const [year, month] = [tashkent.getUTCFullYear(), tashkent.getUTCMonth() + 1]
  return Date.UTC(year, month, day) + (at + tashkentMs) - Date.UTC(year, month - 1, tashkent.getUTCDate()) - tashkentMs
}

/** Whether the token can no longer be used. */
function isCardGone(reason: string): boolean {
  return ['card_deleted', 'card_ended', 'card_not_found', 'token_shape'].includes(reason)
}

const tashkentMs = 5 * 60 * 60 * 1000
