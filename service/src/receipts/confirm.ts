import { readAmount } from '@tessera/contract/amount'
import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { askMoney } from './ask.ts'
import { changeReceipt } from './change.ts'
import { findReceipt } from './find.ts'
import { keepCapture } from './capture.ts'
import { holdEndsAt } from './life.ts'
import { isOpen } from './moves.ts'
import { authorisationOf, currentOf, isUnderWay, movementOf, newOperation } from './operations.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/** Takes held money: `sum` tiyin of it, all of it when null. The rest is released. */
export async function confirmHold(tools: ReceiptTools, receiptId: string, sum: number | null, asker: ReceiptAsker): Promise<ReceiptRow> {
  const amountTiyin = sum === null ? null : readAmount(sum)
  if (sum !== null && amountTiyin === null) throw new RpcError('amountInvalid', { data: 'amount' })
  const { receipt, capture, authorisation } = await intend(tools, { receiptId, amountTiyin }, asker)
  const movement = movementOf(capture, authorisation)
  const said = await askMoney(tools, asker.signal, (network, signal) => network.capture(movement, signal))
  const kept = await keepCapture(tools, { receipt, capture, said, asker }).catch((cause: unknown) => {
    throw new RpcError('paymentUnknown', { cause })
  })
  if (kept === null || said.kind === 'unknown') throw new RpcError('paymentUnknown')
  if (said.kind === 'declined') throw new RpcError('debitFailed')
  return kept
}

interface Capturing {
  readonly receipt: ReceiptRow
  readonly capture: OperationRow
  readonly authorisation: OperationRow
}

interface AskedCapture {
  readonly receiptId: string
  readonly amountTiyin: number | null
}

async function intend(tools: ReceiptTools, { receiptId, amountTiyin }: AskedCapture, asker: ReceiptAsker): Promise<Capturing> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const receipt = await findReceipt(tools, receiptId, asker)
    expectHeld(tools, receipt)
    const operations = await tools.store.listOperations(receipt)
    if (isUnderWay(currentOf(operations, receipt))) throw new RpcError('receiptInProgress')
    if (amountTiyin !== null && amountTiyin > receipt.takenTiyin) throw new RpcError('amountAboveHold', { data: 'amount' })
    const authorisation = authorisationOf(operations)
    if (authorisation === null) throw new Error('a held receipt has an authorisation')
    const now = tools.clock.now()
    const capture = newOperation(receipt, 'capture', amountTiyin ?? receipt.takenTiyin, now)
    const intended = await changeReceipt(tools, {
      ...{ from: receipt, operations: [capture], asker, isIntention: true, action: 'receipt.asked', outcome: 'capture' },
      to: { requestId: capture.requestId, dueAt: now + tools.figures.leaseMs, looks: 0 },
    })
    if (typeof intended !== 'string') return { receipt: intended, capture, authorisation }
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

/** A hold that has lapsed is over, whether or not the background has come by. */
function expectHeld({ figures, clock }: ReceiptTools, receipt: ReceiptRow): void {
  if (isOpen(receipt.state)) throw new RpcError('receiptInProgress')
  if (receipt.state !== receiptStates.held || clock.now() >= holdEndsAt(figures, receipt)) throw new RpcError('receiptNotHeld')
}

const turnsMax = 5
