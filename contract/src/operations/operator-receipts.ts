import Type from 'typebox'

import { receiptStates } from '../receipt.ts'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, listLength, isoTimestamp, isoTimestampOrNull, operatorDone, optionalMerchantId } from './operator.ts'

const receiptId = Type.String({ pattern: '^[0-9a-f]{24}$', description: 'A receipt id is 24 hex digits, as receipts.create returns it.' })
const states = Object.values(receiptStates)
const state = Type.Enum(states, { description: `A state is one of: ${states.join(', ')}.` })
const text = Type.String()

const receiptItem = Type.Object({
  receiptId: text,
  merchantId: text,
  state: Type.Integer({ description: '-1: the row cannot be read.' }),
  stateName: text,
  amountTiyin: Type.Integer(),
  createdAt: isoTimestampOrNull,
  unknownSince: isoTimestampOrNull,
  dueAt: isoTimestampOrNull,
  flagged: Type.Boolean(),
})

export const operatorReceiptsListContract = defineOperatorOperation('operator.receipts.list', {
  summary: 'Lists receipts of all merchants in one open state, those that are flagged, or those of one merchant.',
  mutates: false,
  params: Type.Object({
    merchantId: optionalMerchantId,
    state: Type.Optional(state),
    flagged: Type.Optional(Type.Boolean()),
    after: Type.Optional(receiptId),
    count: Type.Optional(listLength),
  }),
  result: Type.Object({ receipts: Type.Array(receiptItem), next: Type.Union([text, Type.Null()]) }),
})

const receiptDetails = Type.Object({
  receipt: Type.Object({
    receiptId: text,
    merchantId: text,
    state: Type.Integer(),
    stateName: text,
    amountTiyin: Type.Integer(),
    takenTiyin: Type.Integer(),
    number: Type.String({ description: 'The masked card number; empty without a payment.' }),
    networkRef: text,
    requestId: text,
    reason: Type.Union([text, Type.Null()], { description: 'Why the last payment failed.' }),
    createdAt: isoTimestamp,
    payTime: isoTimestampOrNull,
    cancelTime: isoTimestampOrNull,
    unknownSince: isoTimestampOrNull,
    dueAt: isoTimestampOrNull,
    attempts: Type.Integer({ description: 'Of the receipt worker in this state.' }),
    flagged: Type.Boolean(),
    hasValidMac: Type.Boolean(),
  }),
  meaning: text,
  next: Type.String({ description: 'What happens next, or what the operator has to do.' }),
  operations: Type.Array(
    Type.Object({
      requestId: text,
      kind: text,
      amountTiyin: Type.Integer(),
      state: text,
      networkRef: text,
      reason: text,
      rawCode: text,
      requestedAt: isoTimestamp,
      resolvedAt: isoTimestampOrNull,
    }),
  ),
  history: Type.Array(Type.Object({ at: isoTimestamp, action: text, outcome: text, actor: text, requestId: text }), {
    description: 'Audit entries, newest first.',
  }),
})

export const operatorReceiptsGetContract = defineOperatorOperation('operator.receipts.get', {
  summary: 'Returns a receipt with its operations and history, and what happens next.',
  mutates: false,
  params: Type.Object({ receiptId }),
  result: receiptDetails,
})

export const operatorReceiptsResolveContract = defineOperatorOperation('operator.receipts.resolve', {
  summary: 'Records what the network’s statement says of a payment whose outcome is unknown, or that the merchant knows of a refund.',
  mutates: true,
  params: Type.Object({
    receiptId,
    paidAt: Type.Union([Type.Integer(), Type.Null()], {
      description: 'When the card was debited, by the statement; null: the statement shows no debit.',
    }),
    isMerchantInformed: Type.Optional(
      Type.Boolean({
        description: 'With paidAt null: the merchant was informed of a refund that its endpoint did not confirm, and the flag is removed.',
      }),
    ),
    reference: Type.String({
      pattern: '^[!-~]{1,64}$',
      description: 'The reference is that of the network’s statement: 1 to 64 visible characters.',
    }),
    reason: Type.String({ minLength: 3, maxLength: 200, description: 'The reason is a sentence of 3 to 200 characters.' }),
  }),
  result: receiptDetails,
})

const networkName = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'A network is the name of its adapter, as in the settings.',
})
const unixMs = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'A time is Unix milliseconds.' })

const operationIds = {
  requestId: Type.String({ description: 'As the network got it.' }),
  networkRef: Type.String({
    description: 'The reference of the network, or the one that the service drew for the call; empty when there is none.',
  }),
  stan: Type.String({ description: 'The trace number (STAN) of the call; empty at networks without one.' }),
}

const networkOperation = Type.Object({
  ...operationIds,
  receiptId: text,
  merchantId: text,
  kind: text,
  amountTiyin: Type.Integer(),
  state: text,
  requestedAt: unixMs,
  resolvedAt: Type.Integer({ description: '0: not resolved.' }),
  hasValidMac: Type.Boolean(),
  authorization: Type.Union([Type.Object(operationIds), Type.Null()], {
    description: 'The debit or hold that it follows; null for these.',
  }),
})

export const operatorReceiptsNetworkOperationsContract = defineOperatorOperation('operator.receipts.networkOperations', {
  summary: 'Lists the operations at one card network that were in progress in a range of time, of all merchants, page by page.',
  mutates: false,
  params: Type.Object({
    network: networkName,
    from: unixMs,
    to: unixMs,
    after: Type.Optional(Type.String({ pattern: '^[0-9]{1,13}\\.[0-9a-f]{48}$', description: 'The cursor is that of the previous page.' })),
    count: Type.Optional(listLength),
  }),
  result: Type.Object({
    operations: Type.Array(networkOperation),
    unreadable: Type.Integer({ description: 'Rows of this page that cannot be read.' }),
    next: Type.Union([text, Type.Null()]),
  }),
})

const difference = Type.Integer({ minimum: 0 })

export const operatorReceiptsRecordReconciliationContract = defineOperatorOperation('operator.receipts.recordReconciliation', {
  summary: 'Writes the audit entry of a daily file of a card network that was compared with the operations of the service.',
  mutates: true,
  params: Type.Object({
    network: networkName,
    date: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A date is as 2026-01-31.' }),
    counts: Type.Object({
      lines: difference,
      operations: difference,
      matched: difference,
      missing_here: difference,
      missing_there: difference,
      other_amount: difference,
      other_state: difference,
      duplicate_there: difference,
    }),
  }),
  result: operatorDone,
})

export const operatorReceiptOperations = operationsByName(
  operatorReceiptsListContract,
  operatorReceiptsGetContract,
  operatorReceiptsResolveContract,
  operatorReceiptsNetworkOperationsContract,
  operatorReceiptsRecordReconciliationContract,
)
