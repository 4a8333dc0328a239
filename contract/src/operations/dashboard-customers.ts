import Type from 'typebox'

import { after, cardInList, count, next } from './dashboard-cards.ts'
import { defineOperation, operationsByName } from './operation.ts'

const customer = Type.String({ minLength: 1, maxLength: 128, description: 'Your own id of the payer, as `cards.create` got it.' })

const cardWithConsent = Type.Object({
  ...cardInList.properties,
  consent: Type.Union([Type.String(), Type.Null()], { description: 'JSON, as stored.' }),
})

export const dashboardCustomersListContract = defineOperation('dashboard.customers.list', {
  summary: 'Lists customers, whose newest card is the newest first. A page may be short, or empty, and still have a next one.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({ after, count }),
  result: Type.Object({
    customers: Type.Array(
      Type.Object({
        customer: Type.String(),
        cards: Type.Integer({ description: 'How many, removed ones too; eleven stands for more than ten.' }),
        newestCard: cardInList,
      }),
    ),
    next,
  }),
  errors: [],
})

export const dashboardCustomersGetContract = defineOperation('dashboard.customers.get', {
  summary: 'Returns the newest cards of a customer with their consents, and sums of the newest payments.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ customer }),
  result: Type.Object({
    cards: Type.Array(cardWithConsent),
    hasMoreCards: Type.Boolean({ description: 'There are more than the hundred newest.' }),
    payments: Type.Object({
      count: Type.Integer(),
      paid: Type.Integer({ description: 'Those that were debited.' }),
      capturedTiyin: Type.Integer({ description: 'What was debited, by the replies of the network.' }),
      refundedTiyin: Type.Integer({ description: 'What of it was returned.' }),
      isComplete: Type.Boolean({ description: 'False: there are more payments, and the hundred newest are counted.' }),
    }),
  }),
  errors: [],
})

/** The merchant's customers, by its own ids. */
export const dashboardCustomerOperations = operationsByName(dashboardCustomersListContract, dashboardCustomersGetContract)
