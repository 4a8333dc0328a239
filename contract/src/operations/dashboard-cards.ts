import Type, { type Static } from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { receiptStatuses, type ReceiptStatus } from '../receipt-status.ts'
import { done } from './dashboard-session.ts'

const cardId = Type.String({ pattern: '^[0-9a-f]{24}$', description: "The token's first 24 digits; never the token." })

export const cardInList = Type.Object({
  cardId,
  number: Type.String({ description: 'Masked: `860006******6311`.' }),
  expire: Type.String({ description: '`03/99`.' }),
  type: Type.String(),
  state: Type.Union(
    [Type.Literal('live'), Type.Literal('expired'), Type.Literal('removed'), Type.Literal('ended'), Type.Literal('tampered')],
    { description: 'tampered: its row is not as the service wrote it, and nothing of its content is returned.' },
  ),
  verified: Type.Boolean(),
  recurrent: Type.Boolean(),
  customer: Type.Union([Type.String(), Type.Null()]),
  createdAt: Type.Integer({ description: 'Unix milliseconds, as all moments here.' }),
})

export const receiptStatus = Type.Unsafe<ReceiptStatus>({
  ...Type.Union(receiptStatuses.map((each) => Type.Literal(each))),
  description: 'As a person would say it: contract/src/receipt-status.ts.',
})

/** Which user did a step of a history. */
export const stepUser = {
  name: Type.String({ description: "Of the user, where `actor` is one; '' without a name, and when that user no longer exists." }),
  phone: Type.Union([Type.String(), Type.Null()], { description: 'Of the user, masked; null when that user no longer exists.' }),
}

const step = Type.Object({
  at: Type.Integer(),
  what: Type.String({
    description: 'An audit action; `receipt` for a receipt with the card, `receipt.payment_failed` for a refused payment with it.',
  }),
  outcome: Type.String({ description: 'Of a receipt its state on the wire, of a refused payment its reason.' }),
  status: Type.Union([receiptStatus, Type.Null()], {
    description: 'Of a receipt; null: its row was changed outside the service, or the step is of another kind.',
  }),
  actor: Type.Union([Type.Literal('merchant'), Type.Literal('user'), Type.Literal('system'), Type.Literal('operator')]),
  ...stepUser,
  requestId: Type.String(),
  receiptId: Type.Union([Type.String(), Type.Null()], { description: 'Of a payment with the card, or one that was refused to it.' }),
  amountTiyin: Type.Union([Type.Integer(), Type.Null()]),
})

/** The cursor of a list: opaque, from the previous page. The same in every list of the dashboard. */
export const after = Type.Optional(Type.Union([Type.String({ maxLength: 128 }), Type.Null()]))
export const count = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 }))
export const next = Type.Union([Type.String(), Type.Null()], { description: 'For `after`; null: this was the last page.' })

export const dashboardCardsListContract = defineOperation('dashboard.cards.list', {
  summary: 'Lists cards, newest first; `search` is the last four digits, a masked number, a card id, or your own id of the payer.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({
    after,
    count,
    search: Type.Optional(Type.String({ maxLength: 128 })),
    customer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'Your own id of the payer, also one of four digits; `search` is not used then.',
      }),
    ),
  }),
  result: Type.Object({ cards: Type.Array(cardInList), next }),
  errors: [],
})

export const dashboardCardsGetContract = defineOperation('dashboard.cards.get', {
  summary: 'Returns one card with its consent and its timeline.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ cardId }),
  result: Type.Object({
    card: Type.Object({
      ...cardInList.properties,
      verifiedAt: Type.Union([Type.Integer(), Type.Null()]),
      endsAt: Type.Integer(),
      endedAt: Type.Union([Type.Integer(), Type.Null()]),
      consent: Type.Union([Type.String(), Type.Null()], { description: 'JSON, as stored.' }),
      account: Type.Union([Type.String(), Type.Null()], { description: 'JSON, as given.' }),
    }),
    timeline: Type.Array(step),
  }),
  errors: ['cardNotFound'],
})

export const dashboardCardsRemoveContract = defineOperation('dashboard.cards.remove', {
  summary: 'Removes a card. Its token stops working at once.',
  caller: 'dashboard',
  role: 'support',
  mutates: true,
  limit: 'write',
  params: Type.Object({ cardId }),
  result: done,
  errors: ['cardNotFound', 'cardDeleted', 'cardEnded', 'overloaded'],
})

export const dashboardCardOperations = operationsByName(dashboardCardsListContract, dashboardCardsGetContract, dashboardCardsRemoveContract)

export type DashboardCard = Static<typeof cardInList>
