import { randomBytes } from 'node:crypto'
import { receiptStates, type Tessera } from '@tessera/client'

import type { Buyer, KeptCard, Order, Records } from './records.ts'

export interface TillParts {
  /** Of the library, what paying needs. */
  readonly tessera: Pick<Tessera, 'outcome'>
  readonly records: Records
  /** Unix milliseconds. */
  readonly now: () => number
}

/** What a box costs: 129,000 soʻm. */
export const boxTiyin = 12_900_000

/** What the shop does about money. Nothing here knows a page. */
export type Till = ReturnType<typeof openTill>

/** Opens the till. An order is paid by one deed at a time, whoever presses what how often. */
export function openTill({ tessera, records, now }: TillParts) {
  const busy = new Map<string, Promise<unknown>>()

  /** `key` names the press of the button: pressed twice it is one order. */
  function place({ buyer, plan, key }: { buyer: string; plan: Order['plan']; key: string }): Order {
    const known = records.orders[key]
    if (known !== undefined && known.buyer === buyer) return known
    const id = known === undefined ? key : makeOrderId()
    const fresh = { state: 'open', attempt: 1, receiptId: null, pays: 0, reason: null, paidBy: null } as const
    records.buyers[buyer] ??= { card: null, nextBoxAt: null }
    const order: Order = (records.orders[id] = { id, buyer, amountTiyin: boxTiyin, plan, placedAt: now(), ...fresh })
    records.save()
    return order
  }

  /** With a token that the form gave to the page. What a page says is no proof: the service is asked what the token is. */
  function payWithToken(order: Order, token: string): Promise<void> {
    return oneAtATime(order, async () => {
      const checked = await tessera.outcome('cards.check', { token })
      if (!checked.ok) return refuse(order, checked.problem.reason)
      const { number, expire, verify, recurrent } = checked.result.card
      if (!verify) return refuse(order, 'card_not_verified')
      // A card whose owner did not agree is paid with once and never written down.
      if (recurrent) await keepCard(buyerOf(order), { token, number, expire, verify, recurrent })
      await pay(order, token)
    })
  }

  function payWithKeptCard(order: Order): Promise<void> {
    return oneAtATime(order, async () => {
      const { card } = buyerOf(order)
      if (card === null) return refuse(order, 'card_not_found')
      await pay(order, card.token)
    })
  }

  /** Asks what became of an order that was sent to be paid. */
  function settle(order: Order): Promise<void> {
    return oneAtATime(order, () => ask(order, order.reason))
  }

  /** The boxes that are due, once each. To be called as often as you like. */
  async function sendBoxesDue(): Promise<void> {
    for (const [id, buyer] of Object.entries(records.buyers)) {
      if (buyer.nextBoxAt === null || buyer.nextBoxAt > now() || buyer.card === null) continue
      // Named and moved on before it is paid: whoever dies here charges nobody twice.
      const month = new Date(buyer.nextBoxAt).toISOString().slice(0, 7).replace('-', '')
      buyer.nextBoxAt = monthLater(buyer.nextBoxAt)
      await payWithKeptCard(place({ buyer: id, plan: 'monthly', key: `${id.slice(0, 10)}${month}` }))
    }
  }

  async function settleAll(): Promise<void> {
    for (const order of Object.values(records.orders)) if (order.state === 'paying') await settle(order)
  }

  /** First at the service, so that the token is of no use to anybody; then here. Gives the reason why not, or null. */
  async function removeCard(buyer: Buyer): Promise<string | null> {
    if (buyer.card === null) return null
    const removed = await tessera.outcome('cards.remove', { token: buyer.card.token })
    if (!removed.ok && !isGone(removed.problem.reason)) return removed.problem.reason
    forgetCard(buyer)
    return null
  }

  /** A delivery tells that a card is over. It goes by its id, the first half of its token. */
  function forgetCardById(id: string): void {
    for (const buyer of Object.values(records.buyers)) if (buyer.card?.token.startsWith(`${id}_`) === true) forgetCard(buyer)
  }

  function forgetCard(buyer: Buyer): void {
    buyer.card = buyer.nextBoxAt = null
    records.save()
  }

  /** One card a buyer: the one before is removed at the service too, where nobody would ever ask for it again. */
  async function keepCard(buyer: Buyer, card: KeptCard): Promise<void> {
    const before = buyer.card
    buyer.card = card
    records.save()
    if (before !== null && before.token !== card.token) await tessera.outcome('cards.remove', { token: before.token })
  }

  async function pay(order: Order, token: string): Promise<void> {
    // A try before may have come through after all.
    if (order.state === 'paying') await ask(order, order.reason)
    if (order.state !== 'open') return
    if (order.receiptId === null && !(await makeReceipt(order))) return
    const id = order.receiptId ?? ''
    // Written before it is sent: after a crash the receipt is asked before anything is paid.
    Object.assign(order, { state: 'paying', reason: null, pays: order.pays + 1 })
    records.save()
    const paid = await tessera.outcome('receipts.pay', { id, token }, { idempotencyKey: `${keyOf(order)}-pay-${order.pays}` })
    if (!paid.ok && isGone(paid.problem.reason) && buyerOf(order).card?.token === token) forgetCard(buyerOf(order))
    await ask(order, paid.ok ? null : paid.problem.reason)
  }

  async function makeReceipt(order: Order): Promise<boolean> {
    const params = { amount: order.amountTiyin, account: { order_id: order.id }, description: 'A box of tea' }
    const made = await tessera.outcome('receipts.create', params, { idempotencyKey: keyOf(order) })
    if (!made.ok) refuse(order, made.problem.reason)
    else order.receiptId = made.result.receipt._id
    records.save()
    return made.ok
  }

  /** The receipt alone says what became of the money; an error or its absence does not. `reason` is told where nothing was taken. */
  async function ask(order: Order, reason: string | null): Promise<Order> {
    if (order.receiptId === null) return order
    const got = await tessera.outcome('receipts.get', { id: order.receiptId })
    if (!got.ok) return note(order, { state: order.state, reason: got.problem.reason })
    const { state, card } = got.result.receipt
    if (state === receiptStates.paid) return notePaid(order, card?.number ?? null)
    if (state === receiptStates.created) return note(order, { state: 'open', reason })
    if (state !== receiptStates.cancelled) return note(order, { state: order.state === 'paid' ? 'returned' : 'paying', reason })
    if (order.state === 'paid' || order.state === 'returned') return note(order, { state: 'returned', reason: null })
    // Nobody paid it in time, or the network lost the payment and it was given back: the next try has a receipt of its own.
    Object.assign(order, { receiptId: null, attempt: order.attempt + 1 })
    return note(order, { state: 'open', reason: order.pays === 0 ? null : 'money_returned' })
  }

  function notePaid(order: Order, mask: string | null): Order {
    const buyer = buyerOf(order)
    if (order.state !== 'paid' && order.plan === 'monthly' && buyer.card !== null) buyer.nextBoxAt ??= monthLater(now())
    order.paidBy = mask
    return note(order, { state: 'paid', reason: null })
  }

  function refuse(order: Order, reason: string): Order {
    return order.state === 'paid' ? order : note(order, { state: order.state, reason })
  }

  function note(order: Order, known: Pick<Order, 'state' | 'reason'>): Order {
    Object.assign(order, known)
    records.save()
    return order
  }

  async function oneAtATime(order: Order, deed: () => Promise<unknown>): Promise<void> {
    const before = busy.get(order.id) ?? Promise.resolve()
    const mine = before.catch(() => null).then(deed)
    busy.set(order.id, mine)
    await mine.finally(() => busy.get(order.id) === mine && busy.delete(order.id))
  }

  function buyerOf({ buyer }: Order): Buyer {
    return (records.buyers[buyer] ??= { card: null, nextBoxAt: null })
  }

  return { place, payWithToken, payWithKeptCard, settle, settleAll, sendBoxesDue, removeCard, forgetCardById }
}

/** 24 hex digits that nobody guesses. */
export function makeOrderId(): string {
  return randomBytes(12).toString('hex')
}

/** One name for one receipt of one order, whoever asks and however often. */
function keyOf({ id, attempt }: Order): string {
  return `order-${id}${attempt === 1 ? '' : `-${attempt}`}`
}

/** The same day of the next month in Tashkent, or its last. */
function monthLater(at: number): number {
  const tashkent = new Date(at + tashkentMs)
  const lastDay = new Date(Date.UTC(tashkent.getUTCFullYear(), tashkent.getUTCMonth() + 2, 0)).getUTCDate()
  const day = Math.min(tashkent.getUTCDate(), lastDay)
  const [year, month] = [tashkent.getUTCFullYear(), tashkent.getUTCMonth() + 1]
  return Date.UTC(year, month, day) + (at + tashkentMs) - Date.UTC(year, month - 1, tashkent.getUTCDate()) - tashkentMs
}

/** Reasons after which a token is of no use any more. */
function isGone(reason: string): boolean {
  return ['card_deleted', 'card_ended', 'card_not_found', 'token_shape'].includes(reason)
}

const tashkentMs = 5 * 60 * 60 * 1000
