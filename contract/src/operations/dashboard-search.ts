import Type from 'typebox'

import { cardInList } from './dashboard-cards.ts'
import { receiptInList } from './dashboard-receipts.ts'
import { requestEntry } from './dashboard-requests.ts'
import { defineOperation, operationsByName } from './operation.ts'

const message = Type.Object({
  messageId: Type.String(),
  at: Type.Integer(),
  phone: Type.String({ description: 'Masked.' }),
  purpose: Type.Union([Type.Literal('code'), Type.Literal('receipt')]),
  subject: Type.String({ description: 'The id of the card or of the receipt.' }),
  outcome: Type.Union(
    [Type.Literal('requested'), Type.Literal('accepted'), Type.Literal('delivered'), Type.Literal('failed'), Type.Literal('unknown')],
    { description: 'requested: the reply of the gateway is not known yet; failed: rejected, or reported as not delivered.' },
  ),
  failure: Type.Union([Type.Literal('rejected'), Type.Literal('undelivered'), Type.Null()], {
    description: 'Of a failed one: the gateway refused the message, or it accepted it and reported that it did not arrive.',
  }),
})

export const dashboardSearchFindContract = defineOperation('dashboard.search.find', {
  summary: 'Finds receipts, cards, customers, calls of the API and SMS by whatever `text` may be, at most five of each, newest first.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({
    text: Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        "An order number (any account field), a receipt id or its first digits, a card id, a request id, a customer, a phone, the last four digits of a card or its mask, or an amount in so'm.",
    }),
  }),
  result: Type.Object({
    receipts: Type.Array(
      Type.Object({
        by: Type.Union([Type.Literal('id'), Type.Literal('order'), Type.Literal('amount')], { description: 'What the text is of it.' }),
        receipt: receiptInList,
      }),
    ),
    cards: Type.Array(cardInList),
    customers: Type.Array(Type.String()),
    requests: Type.Array(requestEntry),
    messages: Type.Array(message, { description: 'SMS to the phone, as long as they are stored.' }),
    unreadEntries: Type.Integer({
      description: 'Entries of the audit whose changes the search by order, customer and amount does not know yet.',
    }),
  }),
  errors: [],
})

/** The search of the whole dashboard. */
export const dashboardSearchOperations = operationsByName(dashboardSearchFindContract)
