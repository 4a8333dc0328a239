import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { after, count, next } from './dashboard-cards.ts'
import { period } from './dashboard-receipts.ts'

const attempt = Type.Object({
  at: Type.Integer(),
  cardId: Type.String(),
  number: Type.Union([Type.String(), Type.Null()], { description: "Masked; null when the card's row is gone." }),
  what: Type.Union([
    Type.Literal('sent'),
    Type.Literal('not_sent'),
    Type.Literal('wrong'),
    Type.Literal('refused'),
    Type.Literal('verified'),
  ]),
  /** Why not: the `reason` of the error where there is one, otherwise a code of this service. */
  cause: Type.Union([Type.String(), Type.Null()]),
  requestId: Type.String(),
})

const message = Type.Object({
  id: Type.String(),
  at: Type.Integer(),
  phone: Type.String({ description: 'Masked.' }),
  text: Type.String(),
})

export const dashboardVerificationFunnelContract = defineOperation('dashboard.verification.funnel', {
  summary: 'Counts how far the newest cards of a period have come: created, code sent, verified, paid.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object(period),
  result: Type.Object({
    created: Type.Integer(),
    sent: Type.Integer(),
    verified: Type.Integer(),
    paid: Type.Integer(),
    isComplete: Type.Boolean({ description: 'False: there were more cards, and the newest of them are counted.' }),
  }),
  errors: ['memberInvalid'],
})

export const dashboardVerificationListContract = defineOperation('dashboard.verification.list', {
  summary: 'Lists the outcomes of codes, newest first, with the cause of each failure.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ after, count, failed: Type.Optional(Type.Boolean({ description: 'Failures alone.' })) }),
  result: Type.Object({ attempts: Type.Array(attempt), next }),
  errors: [],
})

export const dashboardVerificationInboxContract = defineOperation('dashboard.verification.inbox', {
  summary: 'Lists the SMS that the test environment stored instead of sending, newest first.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ after, count }),
  result: Type.Object({ messages: Type.Array(message), next }),
  errors: ['testOnly'],
})

export const dashboardVerificationOperations = operationsByName(
  dashboardVerificationFunnelContract,
  dashboardVerificationListContract,
  dashboardVerificationInboxContract,
)
