import { receiptStates, type Tessera } from '@tessera/client'

import { classifyProblem, recordResult, stillOpen, type PaymentResult } from './payment-result.ts'
import type { Charge, ClubMember, Subscriptions } from './subscriptions.ts'

/** The part of the client library that is used here. */
export type PaymentClient = Pick<Tessera, 'outcome'>

/**
 * Charges every member whose day has come, once a month, and checks charges that are open. Call it as often as you like, from one process.
 * `now` is Unix milliseconds. Each step is stored before it is carried out, so a crash never charges a cardholder twice.
 */
export async function chargeDue(now: number, { client, subscriptions }: ChargeDependencies): Promise<void> {
  for (const member of subscriptions.members) openMonth(member, now)
  subscriptions.save()
  for (const member of subscriptions.members) {
    for (const [month, charge] of Object.entries(member.charges)) {
      if (charge.state !== 'open' || charge.dueAt > now) continue
      recordResult(member, charge, await continueCharge({ client, subscriptions, member, month, charge }), now)
      subscriptions.save()
    }
  }
}

interface ChargeDependencies {
  readonly client: PaymentClient
  readonly subscriptions: Subscriptions
}

type ChargeContext = ChargeDependencies & { readonly member: ClubMember; readonly month: string; readonly charge: Charge }

const storedMonths = 12

function openMonth(member: ClubMember, now: number): void {
  // Tashkent is five hours ahead of UTC, all year.
  const today = new Date(now + 5 * 60 * 60 * 1000).toISOString()
  const month = today.slice(0, 7)
  if (member.token === null || member.charges[month] !== undefined || Number(today.slice(8, 10)) < member.day) return
  member.charges[month] = { state: 'open', dueAt: now, attempt: 1, receiptId: null, pays: 0, reason: null }
  member.charges = Object.fromEntries(Object.entries(member.charges).sort().slice(-storedMonths))
}

/** Reads the state of the receipt, and pays it when it is unpaid. */
async function continueCharge(context: ChargeContext): Promise<PaymentResult> {
  const { client, charge } = context
  if (charge.receiptId === null) return createReceipt(context)
  const receipt = await client.outcome('receipts.get', { id: charge.receiptId })
  if (!receipt.ok) return stillOpen(receipt.problem.reason)
  switch (receipt.result.receipt.state) {
    case receiptStates.created:
      return pay(context, charge.receiptId)
    case receiptStates.paid:
      return { kind: 'paid' }
    // An unpaid receipt expires after twelve hours, and a payment with an unknown outcome was returned.
    case receiptStates.cancelled:
      return { kind: 'declined', reason: 'cancelled' }
    default:
      return stillOpen(null)
  }
}

/** The same key returns the same receipt for a day. It may have been paid by an earlier process, so its state is read before it is paid. */
async function createReceipt(context: ChargeContext): Promise<PaymentResult> {
  const { client, subscriptions, member, month, charge } = context
  const account = { member: member.id, month }
  const created = await client.outcome('receipts.create', { amount: member.amountTiyin, account }, { idempotencyKey: keyOf(context) })
  if (!created.ok) return stillOpen(created.problem.reason)
  charge.receiptId = created.result.receipt._id
  subscriptions.save()
  return continueCharge(context)
}

/** `pays` is part of the key: a payment that was unknown and then declined is tried again, instead of returning the stored response. */
async function pay(context: ChargeContext, id: string): Promise<PaymentResult> {
  const { client, subscriptions, member, charge } = context
  if (member.token === null) return { kind: 'card_unusable', reason: 'no_card' }
  charge.pays++
  subscriptions.save()
  const idempotencyKey = `${keyOf(context)}-pay-${charge.pays}`
  const paid = await client.outcome('receipts.pay', { id, token: member.token }, { idempotencyKey })
  if (paid.ok) return paid.result.receipt.state === receiptStates.paid ? { kind: 'paid' } : stillOpen(null)
  const result = classifyProblem(paid.problem)
  // The next attempt gets its own receipt. This one is cancelled, so that not even a delayed request of ours can pay it.
  return result.kind === 'open' || (await cancelReceipt(context, id)) ? result : stillOpen(paid.problem.reason)
}

async function cancelReceipt(context: ChargeContext, id: string): Promise<boolean> {
  return (await context.client.outcome('receipts.cancel', { id }, { idempotencyKey: `${keyOf(context)}-cancel` })).ok
}

/** One key for one attempt of one month, however often the call is repeated. */
function keyOf({ member, month, charge }: ChargeContext): string {
  return `sub-${member.id}-${month}${charge.attempt === 1 ? '' : `-${charge.attempt}`}`
}
