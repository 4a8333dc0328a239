import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { EndpointSaid } from '../endpoint/endpoint.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { changeReceipt, type Change } from './change.ts'
import { afterRefusal } from './life.ts'
import { keep, type Looking } from './looking.ts'
import { askMerchant, merchantRefusal, merchantSaidOf, paymentOf } from './merchant-said.ts'
import { currentOf } from './operations.ts'
import type { Payment } from './payment.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/** Asks the merchant whether it takes the payment, where it wants to be asked. Refused or not answered, nothing was taken. */
export async function clearWithMerchant(tools: ReceiptTools, payment: Payment, asker: ReceiptAsker): Promise<Payment> {
  const { receipt, operation } = payment
  if (receipt.state !== receiptStates.checking) return payment
  const said = await askMerchant(tools, asker.signal, (endpoint, signal) => endpoint.check(paymentOf(receipt), signal))
  if (said.kind !== 'agreed') {
    const refusal = merchantRefusal(said)
    await changeReceipt(tools, { ...refused(tools, { receipt, operation, said, refusal }), asker, answers: refusal })
    throw refusal
  }
  const cleared = await changeReceipt(tools, {
    ...{ from: receipt, asker, action: 'receipt.cleared', outcome: 'agreed' },
    to: {
      state: operation.kind === 'hold' ? receiptStates.holding : receiptStates.debiting,
      dueAt: tools.clock.now() + tools.figures.leaseMs,
    },
  })
  // The background took over: our lease had ended before the merchant answered.
  if (typeof cleared === 'string') throw new RpcError('merchantNoAnswer')
  return { ...payment, receipt: cleared }
}

/** Whoever asked the merchant is gone, and no money was asked for: the check changes nothing there. */
export async function giveUpChecking({ tools, receipt }: Looking): Promise<ReceiptRow | null> {
  const operation = currentOf(await tools.store.listOperations(receipt), receipt)
  if (operation === null) throw new Error('a payment is checked by an operation')
  const said: Said = { kind: 'silent', why: 'given_up' }
  return keep(tools, refused(tools, { receipt, operation, said, refusal: merchantRefusal(said) }))
}

type Said = Exclude<EndpointSaid, { kind: 'agreed' }>

interface Refused {
  readonly receipt: ReceiptRow
  /** The authorisation, which was never asked for. */
  readonly operation: OperationRow
  readonly said: Said
  readonly refusal: RpcError
}

function refused({ figures, clock }: ReceiptTools, { receipt, operation, said, refusal }: Refused): Omit<Change, 'asker'> {
  const about = said.kind === 'refused' ? said.error : undefined
  return {
    from: receipt,
    to: afterRefusal(figures, receipt, refusal.entry, about),
    operations: [merchantSaidOf(operation, said, { now: clock.now(), isOver: true })],
    cardLock: receipt.oneTime ? { cardId: receipt.cardId, move: 'release' } : null,
    ...{ action: 'receipt.refused', outcome: said.kind === 'refused' ? 'merchant_refused' : said.why, event: 'receipt.failed' },
  }
}
