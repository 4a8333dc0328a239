import { RpcError, type ErrorName } from '@tessera/contract/errors'
import { receiptStates, type ReceiptState } from '@tessera/contract/receipt'
import { readToken } from '@tessera/vault/token'

import type { FoundCard } from '../cards/find.ts'
import type { Moved } from '../network/network.ts'
import type { ReceiptRow } from '../store/store.ts'

import { askMoney, type Said } from './ask.ts'
import { changeReceipt } from './change.ts'
import { conclude } from './conclude.ts'
import { clearWithMerchant } from './clear.ts'
import { closeWithMerchant } from './closing.ts'
import { findReceipt } from './find.ts'
import { afterRefusal, unpaidEndsAt } from './life.ts'
import { newOperation, saidOf } from './operations.ts'
import type { Payment } from './payment.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

export interface AskedPayment {
  readonly receiptId: string
  readonly token: string
  readonly payer: object | null
  /** Null: as the receipt says. */
  readonly hold: boolean | null
}

/**
 * Debits or holds: intention, network, outcome, each kept before the next begins. A merchant's endpoint is asked before the network, and told
 * after it. Of many at once on one receipt, one gets the intention
 * through, and the others find the receipt in progress or paid.
 */
export async function payReceipt(tools: ReceiptTools, asked: AskedPayment, asker: ReceiptAsker): Promise<ReceiptRow> {
  if (readToken(asked.token) === null) throw new RpcError('tokenShape', { data: 'token' })
  const intended = await intend(tools, asked, asker)
  await expectCardThere(tools, intended, asked.token, asker)
  const payment = await clearWithMerchant(tools, intended, asker)
  const said = await authorise(tools, payment, asker)
  const concluded = await conclude(tools, payment, said, asker)
  return concluded.state === closing ? closeWithMerchant(tools, concluded, asker) : concluded
}

async function intend(tools: ReceiptTools, asked: AskedPayment, asker: ReceiptAsker): Promise<Payment> {
  const isAsked = await tools.endpoint.isSet(asker.merchantId)
  for (let turn = 0; turn < turnsMax; turn++) {
    const receipt = await findReceipt(tools, asked.receiptId, asker)
    expectPayable(tools, receipt)
    const found = await tools.cards.find(asked.token, asker)
    if (!found.card.verified) throw new RpcError('cardNotVerified')
    const intended = await keepIntention(tools, { asked, receipt, found, isAsked }, asker)
    if (intended !== null) return intended
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

/** Receipts first: whoever lost the answer and pays again is to hear that it is paid, not that its one-time token is gone. */
function expectPayable({ figures, clock }: ReceiptTools, receipt: ReceiptRow): void {
  const refusal = unpayable[receipt.state]
  if (refusal !== null) throw new RpcError(refusal)
  if (clock.now() >= unpaidEndsAt(figures, receipt)) throw new RpcError('receiptCancelled')
}

const { created, checking, debiting, closing, paid, held, holding, unknown, returning, cancelled } = receiptStates
const unpayable: Readonly<Record<ReceiptState, ErrorName | null>> = Object.freeze({
  [created]: null,
  ...{ [checking]: 'receiptInProgress', [debiting]: 'receiptInProgress', [closing]: 'receiptInProgress' },
  ...{ [holding]: 'receiptInProgress', [unknown]: 'receiptInProgress' },
  ...{ [paid]: 'receiptPaid', [held]: 'receiptPaid', [returning]: 'receiptCancelled', [cancelled]: 'receiptCancelled' },
} as const)

interface Intending {
  readonly asked: AskedPayment
  readonly receipt: ReceiptRow
  readonly found: FoundCard
  /** Whether the merchant's endpoint is asked first. */
  readonly isAsked: boolean
}

/** Null: the receipt changed meanwhile. */
async function keepIntention(tools: ReceiptTools, intending: Intending, asker: ReceiptAsker): Promise<Payment | null> {
  const { asked, receipt, found, isAsked } = intending
  const { card } = found
  const now = tools.clock.now()
  const isHold = asked.hold ?? receipt.hold
  const oneTime = !card.recurrent
  const asking = newOperation(receipt, isHold ? 'hold' : 'authorise', receipt.amountTiyin, now)
  const operation = { ...asking, cardId: card.cardId }
  const payer = asked.payer === null ? null : JSON.stringify(asked.payer)
  const intended = await changeReceipt(tools, {
    ...{ from: receipt, operations: [operation], asker, isIntention: true, action: 'receipt.asked', outcome: operation.kind },
    to: {
      ...{
        state: isAsked ? checking : isHold ? holding : debiting,
        requestId: operation.requestId,
        payer,
        error: null,
        oneTime,
        customer: card.customer,
      },
      ...{ cardId: card.cardId, maskedPan: card.maskedPan, cardExpiry: card.expiry, dueAt: now + tools.figures.leaseMs },
    },
    cardLock: oneTime ? { cardId: card.cardId, move: 'take' } : null,
  })
  if (intended === 'cardLocked') throw new RpcError('cardInUse')
  return intended === 'moved' ? null : { found, receipt: intended, operation, isAsked }
}

/** A one-time card may have been used up by another receipt between finding it and locking it; from the lock on it stays. */
async function expectCardThere(tools: ReceiptTools, { receipt, operation }: Payment, token: string, asker: ReceiptAsker): Promise<void> {
  if (!receipt.oneTime) return
  try {
    await tools.cards.find(token, asker)
  } catch (err) {
    const to = afterRefusal(tools.figures, receipt, 'declined')
    const settled = saidOf(operation, { kind: 'declined', reason: 'declined', rawCode: 'card_gone' }, tools.clock.now())
    const cardLock = { cardId: receipt.cardId, move: 'release' } as const
    const answers = err instanceof RpcError ? err : null
    await changeReceipt(tools, {
      ...{ from: receipt, to, operations: [settled], cardLock, asker, answers },
      ...{ action: 'receipt.refused', outcome: 'card_gone', event: 'receipt.failed' },
    })
    throw err
  }
}

/** The last call that needs the PAN. */
function authorise(tools: ReceiptTools, { found, receipt, operation }: Payment, asker: ReceiptAsker): Promise<Said<Moved>> {
  const { merchantId, expiry } = found.card
  const { requestId, receiptId, amountTiyin } = operation
  const about = { merchantId, expiry, requestId, receiptId, amountTiyin, hold: receipt.state === holding }
  return tools.cards.usePan(found, (pan) =>
    askMoney(tools, asker.signal, (network, signal) => network.authorise({ ...about, pan }, signal)),
  )
}

/** A receipt that moves more often than this while one wants to pay it meets something unforeseen. */
const turnsMax = 5
