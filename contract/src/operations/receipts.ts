import Type from 'typebox'

import { givenAccountFieldPattern } from '../receipt.ts'
import { defineOperation, operationsByName } from './operation.ts'

const id = Type.String({ description: 'Receipt id: 24 lower-case hex digits.' })
const timeMs = (description: string) => Type.Integer({ description: `${description} Unix milliseconds, 0 when it has not happened.` })
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

const payer = Type.Object(
  {
    id: Type.Optional(nullable(Type.String({ maxLength: 128 }))),
    phone: Type.Optional(nullable(Type.String({ maxLength: 32 }))),
    email: Type.Optional(nullable(Type.String({ maxLength: 254 }))),
    name: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
    ip: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
  },
  { description: 'The payer as the merchant knows them; stored and returned as given.' },
)

const accountValue = Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Null()])

/** An integer, or its decimal digits as a string, which older clients send; the operation holds both to the range. */
const integerOrDigits = ({ description, ...range }: { minimum: number; maximum: number; description: string }) =>
  Type.Union([Type.Integer(range), Type.String({ pattern: '^[0-9]{1,16}$' })], {
    description: `${description} A string of digits is accepted too.`,
  })

/** A receipt in a reply, members in the order of the wire. */
export const receipt = Type.Object({
  _id: id,
  create_time: timeMs('When it was created.'),
  pay_time: timeMs('When it was paid or held.'),
  cancel_time: timeMs('When it was cancelled.'),
  state: Type.Integer({ description: 'See the table of states.' }),
  type: Type.Integer({ description: 'Always 2: a receipt of this API.' }),
  external: Type.Boolean({ description: 'Always false.' }),
  operation: Type.Integer({ description: 'Always -1.' }),
  category: Type.Null(),
  error: nullable(
    Type.Unknown({
      description: 'Why the last payment failed: {code, message, data, reason}, `data` where the merchant refused; null when none failed.',
    }),
  ),
  description: Type.String(),
  detail: nullable(Type.Object({}, { description: 'Stored and returned as given.' })),
  amount: Type.Integer({ description: 'Tiyin.' }),
  currency: Type.Integer({ description: '860 (UZS, ISO 4217).' }),
  commission: Type.Integer({ description: 'Always 0.' }),
  account: Type.Array(Type.Object({ name: Type.String(), title: Type.String(), value: Type.String(), main: Type.Boolean() }), {
    description: "The merchant's fields with their titles; values are always strings.",
  }),
  card: nullable(Type.Object({ number: Type.String(), expire: Type.String({ description: 'YYMM, unlike in cards.*.' }) })),
  merchant: Type.Object({
    _id: Type.String(),
    name: Type.String(),
    organization: Type.String(),
    address: Type.String(),
    business_id: Type.String(),
    epos: Type.Object({ merchantId: Type.String(), terminalId: Type.String() }),
    date: Type.Integer(),
    logo: Type.Null(),
    type: Type.String(),
    terms: Type.Null(),
  }),
  meta: Type.Object({
    source: Type.String(),
    owner: Type.String(),
    source_cancel: Type.Optional(Type.String({ description: 'Present once cancelled by this API: "subscribe".' })),
  }),
  payer: nullable(payer),
  processing_id: Type.Null(),
})

const receiptResult = Type.Object({ receipt })
const successResult = Type.Object({ success: Type.Boolean() })
const owned = ['receiptNotFound'] as const

const exampleId = '6745a1f0000a3f5c0d2e4b62'
const exampleReceipt = {
  _id: exampleId,
  create_time: 1732617200000,
  pay_time: 0,
  cancel_time: 0,
  state: 0,
  type: 2,
  external: false,
  operation: -1,
  category: null,
  error: null,
  description: '',
  detail: null,
  amount: 500000,
  currency: 860,
  commission: 0,
  account: [{ name: 'order_id', title: 'order_id', value: '197', main: true }],
  card: null,
  merchant: {
    _id: '65f0c0ffee0000000000cafe',
    name: 'Demo shop',
    organization: 'Demo shop',
    address: '',
    business_id: '',
    epos: { merchantId: '', terminalId: '' },
    date: 1732617200000,
    logo: null,
    type: 'Internet',
    terms: null,
  },
  meta: { source: 'subscribe', owner: '65f0c0ffee0000000000cafe' },
  payer: null,
  processing_id: null,
}
const exampleToken = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'

/** What the request log stores of a receipt in a result. */
const loggedReceipt = {
  'receipt._id': 'id',
  'receipt.state': 'number',
  'receipt.amount': 'number',
  'receipt.create_time': 'timestamp',
  'receipt.pay_time': 'timestamp',
  'receipt.cancel_time': 'timestamp',
  'receipt.card.number': 'mask',
  'receipt.error.code': 'number',
  'receipt.error.reason': 'plainName',
} as const

export const receiptsCreateContract = defineOperation('receipts.create', {
  summary: 'Creates a receipt: a request to pay.',
  description:
    'An unpaid receipt is cancelled automatically after 12 hours. `account` has the fields that the merchant has configured; without a configuration any fields are accepted.',
  caller: 'server',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    amount: Type.Number({ description: "Tiyin, a positive whole number: 500000 are 5,000 so'm." }),
    account: Type.Optional(
      nullable(Type.Record(Type.String({ pattern: givenAccountFieldPattern }), accountValue, { additionalProperties: false })),
    ),
    description: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
    detail: Type.Optional(nullable(Type.Object({}, { description: 'Any shape; stored and returned as given.' }))),
    hold: Type.Optional(nullable(Type.Boolean({ description: 'Whether a payment only holds the money until receipts.confirm_hold.' }))),
  }),
  result: receiptResult,
  errors: ['amountInvalid', 'accountFieldMissing', 'accountFieldUnknown', 'amountBelowLimit', 'amountAboveLimit'],
  requestLog: {
    params: { amount: 'number', 'account.*': 'plainName', description: 'shape', detail: 'shape', hold: 'flag' },
    result: loggedReceipt,
  },
  example: { params: { amount: 500000, account: { order_id: '197' } }, result: { receipt: exampleReceipt } },
})

export const receiptsPayContract = defineOperation('receipts.pay', {
  summary: 'Pays a receipt with a verified token.',
  description:
    'Synchronous: replies when the money is debited (state 4) or held (state 5). Debits once, whatever the concurrency; send an Idempotency-Key to learn the outcome of a call whose reply was lost. ' +
    'When the card network does not respond, the receipt goes to state 20 and is reconciled automatically: call receipts.check. ' +
    'A merchant with an endpoint of its own is called before and after the debit; its refusal is -31623 with its error object in `data`.',
  caller: 'server',
  mutates: true,
  limit: 'write',
  countsTowardTokenLimit: true,
  params: Type.Object({
    id,
    token: Type.String({ description: 'A verified card token of this merchant.' }),
    payer: Type.Optional(nullable(payer)),
    hold: Type.Optional(nullable(Type.Boolean({ description: 'Hold instead of debit; confirm within 7 days.' }))),
  }),
  result: receiptResult,
  errors: [
    'tokenLimit',
    ...owned,
    'receiptPaid',
    'receiptInProgress',
    'receiptCancelled',
    'tokenShape',
    'cardNotFound',
    'cardDeleted',
    'cardEnded',
    'cardNotVerified',
    'cardInUse',
    'merchantRefused',
    'networkUnavailable',
    'paySmsNotConnected',
    'payCardExpired',
    'payCardBlocked',
    'paySystemError',
    'payNetworkTimeout',
    'insufficientFunds',
    'cardLimit',
    'declined',
    'debitFailed',
    'merchantNoAnswer',
    'merchantClosing',
    'paymentUnknown',
  ],
  requestLog: {
    params: {
      id: 'id',
      token: 'card',
      hold: 'flag',
      'payer.id': 'plainName',
      'payer.phone': 'phone',
      'payer.email': 'shape',
      'payer.name': 'shape',
      'payer.ip': 'shape',
    },
    result: loggedReceipt,
  },
  example: {
    params: { id: exampleId, token: exampleToken },
    result: { receipt: { ...exampleReceipt, state: 4, pay_time: 1732617260000, card: { number: '8600***6311', expire: '9903' } } },
  },
})

export const receiptsSendContract = defineOperation('receipts.send', {
  summary: 'Sends the receipt to a phone by SMS.',
  description: 'The message has the amount, the shop and the number of the receipt.',
  caller: 'server',
  mutates: true,
  limit: 'write',
  params: Type.Object({ id, phone: Type.String({ description: '9 to 15 digits, country code first.' }) }),
  result: successResult,
  errors: [...owned, 'phoneInvalid', 'receiptCancelled', 'phoneLimit', 'smsCountryNotServed', 'smsCostLimit', 'smsNotSent'],
  requestLog: { params: { id: 'id', phone: 'phone' }, result: { success: 'flag' } },
  example: { params: { id: exampleId, phone: '998901234566' }, result: { success: true } },
})

export const receiptsCancelContract = defineOperation('receipts.cancel', {
  summary: 'Cancels a receipt; money taken or held is returned.',
  description: 'An unpaid receipt is cancelled at once (state 50); a paid or held one is returned first (21, then 50).',
  caller: 'server',
  mutates: true,
  limit: 'write',
  params: Type.Object({ id }),
  result: receiptResult,
  errors: [...owned, 'receiptInProgress', 'cannotCancel'],
  requestLog: { params: { id: 'id' }, result: loggedReceipt },
  example: {
    params: { id: exampleId },
    result: {
      receipt: {
        ...exampleReceipt,
        state: 50,
        cancel_time: 1732617300000,
        meta: { ...exampleReceipt.meta, source_cancel: 'subscribe' },
      },
    },
  },
})

export const receiptsCheckContract = defineOperation('receipts.check', {
  summary: 'Returns the state of a receipt.',
  description: 'The cheap call while the outcome of a payment is being reconciled.',
  caller: 'server',
  mutates: false,
  limit: 'read',
  params: Type.Object({ id }),
  result: Type.Object({ state: Type.Integer() }),
  errors: [...owned],
  requestLog: { params: { id: 'id' }, result: { state: 'number' } },
  example: { params: { id: exampleId }, result: { state: 4 } },
})

export const receiptsGetContract = defineOperation('receipts.get', {
  summary: 'Returns a receipt.',
  description: 'The same object as in the replies of the other methods.',
  caller: 'server',
  mutates: false,
  limit: 'read',
  params: Type.Object({ id }),
  result: receiptResult,
  errors: [...owned],
  requestLog: { params: { id: 'id' }, result: loggedReceipt },
  example: { params: { id: exampleId }, result: { receipt: exampleReceipt } },
})

export const receiptsGetAllContract = defineOperation('receipts.get_all', {
  summary: 'Lists the receipts of a range of days, newest first.',
  description: '`from` and `to` mean whole days in UTC+5, both included. The result is a bare array.',
  caller: 'server',
  mutates: false,
  limit: 'read',
  params: Type.Object({
    count: integerOrDigits({ minimum: 1, maximum: 50, description: 'At most 50.' }),
    from: integerOrDigits({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'Unix milliseconds; its whole day in UTC+5.' }),
    to: integerOrDigits({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'Unix milliseconds; its whole day in UTC+5.' }),
    offset: Type.Optional(nullable(integerOrDigits({ minimum: 0, maximum: 1000, description: 'At most 1000.' }))),
  }),
  result: Type.Array(receipt),
  errors: [],
  requestLog: { params: { count: 'number', from: 'timestamp', to: 'timestamp', offset: 'number' }, result: {} },
  example: { params: { count: 10, from: 1732579200000, to: 1732665600000, offset: 0 }, result: [exampleReceipt] },
})

export const receiptsConfirmHoldContract = defineOperation('receipts.confirm_hold', {
  summary: 'Captures held money, all of it or a part.',
  description: 'The rest is released. A hold that is not confirmed expires after 7 days and the money is released.',
  caller: 'server',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    id,
    amount: Type.Optional(nullable(Type.Number({ description: 'Tiyin, at most the amount held; absent: all of it.' }))),
  }),
  result: receiptResult,
  errors: [
    ...owned,
    'receiptInProgress',
    'receiptNotHeld',
    'amountInvalid',
    'amountAboveHold',
    'networkUnavailable',
    'debitFailed',
    'paymentUnknown',
  ],
  requestLog: { params: { id: 'id', amount: 'number' }, result: loggedReceipt },
  example: { params: { id: exampleId }, result: { receipt: { ...exampleReceipt, state: 4, pay_time: 1732617260000 } } },
})

export const receiptsSetFiscalDataContract = defineOperation('receipts.set_fiscal_data', {
  summary: 'Stores the fiscal data of a paid receipt.',
  description: "The reply of the merchant's fiscal module: stored with the receipt and displayed in the dashboard.",
  caller: 'server',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    id,
    fiscal_data: Type.Object({
      receipt_id: Type.Integer(),
      qr_code_url: Type.String({ maxLength: 1024 }),
      status_code: Type.Optional(nullable(Type.Integer())),
      message: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
      terminal_id: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
      date: Type.Optional(nullable(Type.Union([Type.String({ maxLength: 64 }), Type.Number()]))),
      fiscal_sign: Type.Optional(nullable(Type.Union([Type.String({ maxLength: 128 }), Type.Number()]))),
    }),
  }),
  result: successResult,
  errors: [...owned, 'receiptNotPaid'],
  requestLog: {
    params: {
      id: 'id',
      'fiscal_data.receipt_id': 'number',
      'fiscal_data.qr_code_url': 'shape',
      'fiscal_data.status_code': 'number',
      'fiscal_data.message': 'shape',
      'fiscal_data.terminal_id': 'plainName',
      'fiscal_data.date': 'shape',
      'fiscal_data.fiscal_sign': 'plainName',
    },
    result: { success: 'flag' },
  },
  example: {
    params: { id: exampleId, fiscal_data: { receipt_id: 121, qr_code_url: 'https://ofd.example/check?t=1' } },
    result: { success: true },
  },
})

/** Payments with a token. For the merchant's server only. */
export const receiptOperations = operationsByName(
  receiptsCreateContract,
  receiptsPayContract,
  receiptsSendContract,
  receiptsCancelContract,
  receiptsCheckContract,
  receiptsGetContract,
  receiptsGetAllContract,
  receiptsConfirmHoldContract,
  receiptsSetFiscalDataContract,
)
