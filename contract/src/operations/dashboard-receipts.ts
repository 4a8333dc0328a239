import Type from 'typebox'

import { maxAmountTiyin } from '../receipt.ts'
import { type RefundReason, refundReasons } from '../receipt-status.ts'
import { defineOperation, operationsByName } from './operation.ts'
import { after, count, next, receiptStatus, stepUser } from './dashboard-cards.ts'
import { done } from './dashboard-session.ts'

const receiptId = Type.String({ pattern: '^[0-9a-f]{24}$' })
const textOrNull = Type.Union([Type.String(), Type.Null()])
const timestamp = Type.Integer({ minimum: 0, description: 'Unix milliseconds.' })
const amount = Type.Integer({ minimum: 1, maximum: maxAmountTiyin, description: 'Tiyin.' })

export const receiptInList = Type.Object({
  receiptId,
  state: Type.Integer({
    description:
      'As on the wire: 0 created, 4 paid, 5 held, 20 unknown, 21 being returned, 50 cancelled; and -1: its row was changed outside the service, and its content is not returned.',
  }),
  status: Type.Union([receiptStatus, Type.Null()], { description: 'Null: its row was changed outside the service.' }),
  amountTiyin: Type.Integer(),
  takenTiyin: Type.Integer({ description: 'The amount debited or held.' }),
  capturedTiyin: Type.Integer({ description: 'What was debited from the cardholder, by the replies of the network.' }),
  refundedTiyin: Type.Integer({ description: 'What of it was returned.' }),
  number: Type.String({ description: "The mask of the card that paid; '' before, and after a refusal." }),
  cardId: Type.String(),
  description: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why the last payment was refused.' }),
  flagged: Type.Boolean({ description: 'Unresolved for so long that an operator has to decide.' }),
  order: Type.String({ description: "The value of the main account field; '' without one." }),
  customer: textOrNull,
  createdAt: Type.Integer(),
  paidAt: Type.Integer({ description: '0 until it was paid or held.' }),
  capturedAt: Type.Integer({ description: '0 until it was debited.' }),
  refundedAt: Type.Integer({ description: '0 until it was returned.' }),
})

const operation = Type.Object({
  kind: Type.String({ description: 'The request to the network: authorize, hold, capture, refund …' }),
  amountTiyin: Type.Integer(),
  state: Type.String({ description: 'requested, approved, declined or unknown.' }),
  reason: Type.String(),
  rawCode: Type.String({ description: "The network's own code." }),
  requestedAt: Type.Integer(),
  resolvedAt: Type.Integer({ description: '0 while it is in progress.' }),
  cardId: Type.String({ description: "Of an authorization or a hold: the card that was to pay; '' for others." }),
  number: Type.String({ description: "That card's mask; '' where it is not known." }),
})

const step = Type.Object({
  at: Type.Integer(),
  what: Type.String(),
  outcome: Type.String(),
  actor: Type.String(),
  ...stepUser,
  requestId: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why a user did it: one of `refundReasons`; null where nobody said.' }),
  note: textOrNull,
})

const conditions = {
  from: Type.Optional(timestamp),
  to: Type.Optional(timestamp),
  dateOf: Type.Optional(
    Type.Union([Type.Literal('created'), Type.Literal('paid'), Type.Literal('refunded')], {
      description:
        'What happened from `from` to before `to`: the receipt was created, or the money was debited or returned. Default: created.',
    }),
  ),
  status: Type.Optional(receiptStatus),
  cardId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$' })),
  customer: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  order: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The value of any account field; case does not matter.' })),
  reason: Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,64}$', description: 'Why the last payment was refused.' })),
  amountFrom: Type.Optional(amount),
  amountTo: Type.Optional(amount),
}

export const dashboardReceiptsListContract = defineOperation('dashboard.receipts.list', {
  summary: 'Lists receipts, newest first, of a range of time: all, or those that match every condition that is given.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({ after, count, ...conditions }),
  result: Type.Object({
    receipts: Type.Array(receiptInList),
    next,
    unreadEntries: Type.Integer({
      description:
        'With a condition: entries of the audit whose changes the search does not know yet. A few are on their way; many, while the receipts of an older version are prepared for searching.',
    }),
  }),
  errors: [],
})

const accountField = Type.Object({ name: Type.String(), title: Type.String(), value: Type.String() })

export const dashboardReceiptsExportContract = defineOperation('dashboard.receipts.export', {
  summary: 'Returns receipts as `dashboard.receipts.list` does, in larger pages and with their account fields, for a file.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ after, count: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })), ...conditions }),
  result: Type.Object({
    receipts: Type.Array(Type.Object({ ...receiptInList.properties, account: Type.Array(accountField) })),
    next,
    atMost: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Without `after`: how many receipts there are at most, so that a file shows its progress. Null on later pages.',
    }),
    accountFields: Type.Array(Type.Object({ name: Type.String(), title: Type.String() }), {
      description: "The merchant's, in their order. Receipts may have others.",
    }),
    unreadEntries: Type.Integer({ description: 'As in `dashboard.receipts.list`.' }),
  }),
  errors: [],
})

const day = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'A day in Tashkent (UTC+5), such as 2026-11-28.' })
export const period = { from: day, to: Type.String({ ...day, description: 'The last day, included.' }) }

const dayTotals = {
  paid: Type.Integer({ description: 'Payments that were debited.' }),
  paidTiyin: Type.Integer(),
  refunded: Type.Integer({ description: 'Payments that were returned, whenever they were made.' }),
  refundedTiyin: Type.Integer(),
  feeTiyin: Type.Literal(0, { description: 'The service takes none.' }),
  netTiyin: Type.Integer({ description: 'Paid less refunded.' }),
  pending: Type.Integer({
    description: 'Receipts created that day whose outcome is open: held, being paid or refunded, unknown, to be reviewed.',
  }),
  pendingTiyin: Type.Integer(),
}

export const dashboardReceiptsTotalsContract = defineOperation('dashboard.receipts.totals', {
  summary: 'Returns what was paid and refunded on each day of a period of at most 366 days, and what is still pending.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object(period),
  result: Type.Object({
    days: Type.Array(Type.Object({ day: Type.String(), ...dayTotals })),
    total: Type.Object(dayTotals),
    unreadEntries: Type.Integer({ description: 'As in `dashboard.receipts.list`.' }),
  }),
  errors: ['memberInvalid'],
})

export const dashboardReceiptsGetContract = defineOperation('dashboard.receipts.get', {
  summary: 'Returns one receipt with its states and the replies of the network.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ receiptId }),
  result: Type.Object({
    receipt: Type.Object({
      ...receiptInList.properties,
      cancelTime: Type.Integer(),
      account: Type.String({ description: 'JSON array of {name, title, value, main}.' }),
      detail: textOrNull,
      payer: textOrNull,
      fiscal: textOrNull,
    }),
    operations: Type.Array(operation),
    timeline: Type.Array(step),
    refundUnconfirmedMaxTiyin: Type.Integer({ description: 'A refund above it asks the user to confirm who they are. Tiyin.' }),
  }),
  errors: ['receiptNotFound'],
})

export const dashboardReceiptsCancelContract = defineOperation('dashboard.receipts.cancel', {
  summary: 'Cancels an unpaid receipt, voids a hold or refunds a payment, and stores why in the audit.',
  caller: 'dashboard',
  role: 'support',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    receiptId,
    expected: Type.Optional(
      Type.Union([Type.Literal('cancel'), Type.Literal('void'), Type.Literal('refund')], {
        description: 'What the user was shown. A receipt that changed meanwhile, and would end in another way, is left as it is.',
      }),
    ),
    reason: Type.Optional(Type.Unsafe<RefundReason>(Type.Union(refundReasons.map((each) => Type.Literal(each))))),
    note: Type.Optional(Type.String({ maxLength: 200, description: 'In words, for the audit.' })),
  }),
  result: done,
  errors: ['confirmationRequired', 'receiptNotFound', 'receiptInProgress', 'cannotCancel', 'overloaded'],
})

export const dashboardReceiptsConfirmContract = defineOperation('dashboard.receipts.confirm', {
  summary: 'Captures held money, all of it or a part; the rest is released.',
  caller: 'dashboard',
  role: 'support',
  mutates: true,
  limit: 'write',
  params: Type.Object({ receiptId, amountTiyin: Type.Optional(Type.Integer({ minimum: 1 })) }),
  result: done,
  errors: ['receiptNotFound', 'receiptInProgress', 'receiptNotHeld', 'amountAboveHold', 'debitFailed', 'paymentUnknown', 'overloaded'],
})

export const dashboardReceiptOperations = operationsByName(
  dashboardReceiptsListContract,
  dashboardReceiptsExportContract,
  dashboardReceiptsTotalsContract,
  dashboardReceiptsGetContract,
  dashboardReceiptsCancelContract,
  dashboardReceiptsConfirmContract,
)
