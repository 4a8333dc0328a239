import { receiptStates, type Tessera } from '@tessera/client'

import type { Book, Charge, Member } from './book.ts'
import { judge, note, open, type Verdict } from './verdict.ts'

/** Of the library, what charging needs. */
export type Till = Pick<Tessera, 'outcome'>

/**
 * Charges everybody whose day has come, once a month, and looks again at what is open. To be called as often as you like, by one process;
 * `now` is unix milliseconds. What is about to be done is kept before it is done, so a process that dies in between charges nobody twice.
 */
export async function chargeDue(now: number, { till, book }: { till: Till; book: Book }): Promise<void> {
  for (const member of book.members) openMonth(member, now)
  book.save()
  for (const member of book.members) {
    for (const [month, charge] of Object.entries(member.charges)) {
      if (charge.state !== 'open' || charge.dueAt > now) continue
      note(member, charge, await goOn({ till, book, member, month, charge }), now)
      book.save()
    }
  }
}

type Step = { till: Till; book: Book; member: Member; month: string; charge: Charge }

const monthsKept = 12

function openMonth(member: Member, now: number): void {
  // Tashkent is five hours ahead of UTC, all year.
  const today = new Date(now + 5 * 60 * 60 * 1000).toISOString()
  const month = today.slice(0, 7)
  if (member.token === null || member.charges[month] !== undefined || Number(today.slice(8, 10)) < member.day) return
  member.charges[month] = { state: 'open', dueAt: now, attempt: 1, receiptId: null, pays: 0, reason: null }
  member.charges = Object.fromEntries(Object.entries(member.charges).sort().slice(-monthsKept))
}

/** Asks what became of the receipt, and pays it when nothing did. */
async function goOn(step: Step): Promise<Verdict> {
  const { till, charge } = step
  if (charge.receiptId === null) return create(step)
  const got = await till.outcome('receipts.get', { id: charge.receiptId })
  if (!got.ok) return open(got.problem.reason)
  switch (got.result.receipt.state) {
    case receiptStates.created:
      return pay(step, charge.receiptId)
    case receiptStates.paid:
      return { kind: 'paid' }
    // An unpaid receipt ends after twelve hours; a payment that nobody heard of was given back.
    case receiptStates.cancelled:
      return { kind: 'refused', reason: 'cancelled' }
    default:
      return open(null)
  }
}

/** The same key gives the same receipt for a day: it may have been paid before this process was born, so it is asked about first. */
async function create(step: Step): Promise<Verdict> {
  const { till, book, member, month, charge } = step
  const account = { member: member.id, month }
  const created = await till.outcome('receipts.create', { amount: member.amountTiyin, account }, { idempotencyKey: keyOf(step) })
  if (!created.ok) return open(created.problem.reason)
  charge.receiptId = created.result.receipt._id
  book.save()
  return goOn(step)
}

/** `pays` is part of the key: a receipt that was unknown and then refused is tried again, not answered from memory. */
async function pay(step: Step, id: string): Promise<Verdict> {
  const { till, book, member, charge } = step
  if (member.token === null) return { kind: 'cardOver', reason: 'no_card' }
  charge.pays++
  book.save()
  const paid = await till.outcome('receipts.pay', { id, token: member.token }, { idempotencyKey: `${keyOf(step)}-pay-${charge.pays}` })
  if (paid.ok) return paid.result.receipt.state === receiptStates.paid ? { kind: 'paid' } : open(null)
  const verdict = judge(paid.problem)
  // Nobody shall pay a refused receipt any more, not even a call of ours that is late on its way: the next attempt has one of its own.
  return verdict.kind === 'open' || (await close(step, id)) ? verdict : open(paid.problem.reason)
}

async function close(step: Step, id: string): Promise<boolean> {
  return (await step.till.outcome('receipts.cancel', { id }, { idempotencyKey: `${keyOf(step)}-cancel` })).ok
}

/** One name for one attempt of one month, whoever asks and however often. */
function keyOf({ member, month, charge }: Step): string {
  return `sub-${member.id}-${month}${charge.attempt === 1 ? '' : `-${charge.attempt}`}`
}
